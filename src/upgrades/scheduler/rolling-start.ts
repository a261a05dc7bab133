import { type Instant, later, MICROS, scheduleFault, windowAt } from '../../gates/index.ts';

/** The most time between two slots of a window that is as good as open all the time. */
const CLOSE = 15 * MICROS.minute;
const AT_ONCE = { lead: 0, window: CLOSE };

/**
 * Whether a start is one of many slots close together, as in `* * * * *` or within `* 8-16 * * *`: each pass that does not
 * schedule the upgrade moves it to the next slot, and nothing else has changed.
 */
export function isRollingStart(schedule: string, start: Instant): boolean {
  const dialect = scheduleFault(schedule, 'five-fields') === undefined ? 'five-fields' : 'croniter';
  const slotAfter = (time: Instant): Instant | undefined => {
    const due = windowAt(schedule, time, { dialect, timing: AT_ONCE });
    return 'slot' in due ? due.slot : undefined;
  };
  const before = slotAfter(later(start, -CLOSE - MICROS.second));
  const after = slotAfter(start);
  return before !== undefined && before < start && after !== undefined && after - start <= CLOSE;
}
