import { type Instant, MICROS, parseInstant, secondText } from './instant.ts';

/** `2 min ago`, `in 3 days`. */
export function relativeText(at: Instant, now: Instant): string {
  const length = lengthText(Math.abs(at - now));
  if (length === '') return 'now';
  return at > now ? `in ${length}` : `${length} ago`;
}

/** `40 s`, `2 min`, `5 h`, `3 days`; empty below a second. */
function lengthText(micros: number): string {
  if (micros < MICROS.second) return '';
  if (micros < 2 * MICROS.minute) return `${Math.round(micros / MICROS.second)} s`;
  if (micros < 2 * MICROS.hour) return `${Math.round(micros / MICROS.minute)} min`;
  if (micros < 2 * MICROS.day) return `${Math.round(micros / MICROS.hour)} h`;
  return `${Math.round(micros / MICROS.day)} days`;
}

/** `2026-03-02T13:00:00Z (in 2 days)` */
export function timeText(at: Instant, now: Instant): string {
  return `${secondText(at)} (${relativeText(at, now)})`;
}

const TIME_IN_TEXT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z(?! \()/g;

/** A sentence with a relative time beside every time: `opens 2026-03-02T13:00:00Z (in 2 days)`. */
export function withRelativeTimes(sentence: string, now: Instant): string {
  return sentence.replaceAll(TIME_IN_TEXT, (time) => {
    const at = parseInstant(time);
    return at === undefined ? time : `${time} (${relativeText(at, now)})`;
  });
}
