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
