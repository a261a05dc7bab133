import { fromNowText, withTimesFromNow } from '../base/index.ts';
import { type Instant, MICROS, millisecondsOf, secondText } from './instant.ts';

/** `2 min ago`, `in 3 days`. */
export function relativeText(at: Instant, now: Instant): string {
  return fromNowText((at - now) / MICROS.millisecond);
}

/** `2026-03-02T13:00:00Z (in 2 days)` */
export function timeText(at: Instant, now: Instant): string {
  return `${secondText(at)} (${relativeText(at, now)})`;
}

/** A sentence with a relative time beside every time: `opens 2026-03-02T13:00:00Z (in 2 days)`. */
export function withRelativeTimes(sentence: string, now: Instant): string {
  return withTimesFromNow(sentence, new Date(millisecondsOf(now)));
}
