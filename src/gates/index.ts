export type { CronDialect } from './cron-dialect.ts';
export { type Freeze, freezeBetween, freezeText, parseFreeze } from './freeze.ts';
export { firstClosed, type Gate, type GateList, gateList, rowOf } from './gate.ts';
export {
  INSTANT_PATTERN,
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
export { gateOpening, jointOpening, type Opening, openingText } from './opening.ts';
export { relativeText, timeText, withRelativeTimes } from './relative-time.ts';
export { type Soak, type SoakReadings, soakOf } from './soak.ts';
export {
  type ClockBehind,
  creditObserved,
  type Sighting,
  type SoakLedger,
  type SoakPace,
  soakCountsFrom,
  soakedBy,
  type Timeline,
  type Turn,
  turnAt,
} from './soak-ledger.ts';
export { continued, type Streak, type StreakSighting } from './streak.ts';
export { Tally } from './tally.ts';
export { broken, pass, type Verdict, wait } from './verdict.ts';
export {
  type Due,
  everMatches,
  restrictsBothDays,
  scheduleFault,
  type Timing,
  windowAt,
  windowUntil,
} from './window.ts';
