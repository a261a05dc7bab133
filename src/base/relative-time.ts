const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** So many milliseconds from now: `in 3 days`, or `2 min ago` for a negative number. */
export function fromNowText(milliseconds: number): string {
  const length = lengthText(Math.abs(milliseconds));
  if (length === '') return 'now';
  return milliseconds > 0 ? `in ${length}` : `${length} ago`;
}

/** `40 s`, `2 min`, `5 h`, `3 days`; empty below a second. */
function lengthText(milliseconds: number): string {
  if (milliseconds < SECOND) return '';
  if (milliseconds < 2 * MINUTE) return `${Math.round(milliseconds / SECOND)} s`;
  if (milliseconds < 2 * HOUR) return `${Math.round(milliseconds / MINUTE)} min`;
  if (milliseconds < 2 * DAY) return `${Math.round(milliseconds / HOUR)} h`;
  return `${Math.round(milliseconds / DAY)} days`;
}

const TIME_IN_TEXT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z(?! \()/g;

/** A text with a relative time beside every time: `opens 2026-03-02T13:00:00Z (in 2 days)`. */
export function withTimesFromNow(text: string, now: Date): string {
  return text.replaceAll(TIME_IN_TEXT, (time) => {
    const at = Date.parse(time);
    return Number.isNaN(at) ? time : `${time} (${fromNowText(at - now.getTime())})`;
  });
}
