/** `1 file`, `2 files`. */
export function count(n: number, singular: string, plural = `${singular}s`): string {
  return `${n} ${n === 1 ? singular : plural}`;
}

/** `an AWS account`, `a cluster`. */
export function withArticle(noun: string): string {
  return `${/^[AEIO]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB'] as const;

/** `50.0 MiB`; whole bytes below 1 KiB. */
export function humanBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return unit === 0 ? `${bytes} bytes` : `${value.toFixed(1)} ${UNITS[unit]}`;
}

/** Byte order by code unit: the same on every machine, unlike localeCompare. */
export function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const LONGEST_SHOWN = 200;

/** A text for a message: a long one is cut, with its length. */
export function shortened(text: string): string {
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}… (${text.length} characters)`;
}

/** A value for a message, as JSON; a list or mapping, which may be large, is only named. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(shortened(value));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'nothing';
  return Array.isArray(value) ? 'a list' : 'a mapping';
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Characters that steer a terminal or a viewer: control characters, line separators, bidi overrides and isolates. */
const STEERS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const STEERS_IN_TEXT = /(?!\n|\t|\r\n)[\p{Cc}\u2028\u2029]/gu;

/** Untrusted text as one line that steers nothing: `\n` and `\u001b` are shown as such. */
export function escapeControls(text: string): string {
  return text.replaceAll(STEERS, escaped);
}

/** Escapes a text of several lines, but for line ends and tabs, and for bidi controls, which are part of documents. */
export function escapeControlsInText(text: string): string {
  return text.replaceAll(STEERS_IN_TEXT, escaped);
}

/** The JSON escape of a character. */
function escaped(control: string): string {
  return control === '\n' ? '\\n' : `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A time relative to now, in milliseconds: `in 3 days`, or `2 min ago` for a negative number. */
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
