export type { CronDialect } from './cron-dialect.ts';
export {
  type Instant,
  instantOf,
  instantText,
  later,
  MICROS,
  millisecondsOf,
  parseInstant,
  secondText,
  secondTextAfter,
} from './instant.ts';
export { asksForBothDays, type Due, everMatches, scheduleFault, type Timing, windowAt } from './window.ts';
