import {
  type CronDialect,
  type Due,
  type Instant,
  MICROS,
  type Timing,
  windowAt,
  windowUntil,
} from '../../gates/index.ts';

/** OCM refuses a cluster upgrade that starts in less than five minutes. */
export const CLUSTER_TIMING: Timing = { lead: 6 * MICROS.minute, window: 2 * MICROS.hour };
export const ADDON_TIMING: Timing = { lead: MICROS.minute, window: 10 * MICROS.minute };

/** Whether a schedule is due for an upgrade now. */
export function dueAt(text: string, now: Instant, options: { dialect: CronDialect; timing?: Timing }): Due {
  return windowAt(text, now, { timing: CLUSTER_TIMING, ...options });
}

/** The earliest time at which a schedule can become due, or stop being due. */
export function dueUntil(text: string, now: Instant, { dialect }: { readonly dialect: CronDialect }): number {
  return windowUntil(text, now, { timing: CLUSTER_TIMING, dialect });
}
