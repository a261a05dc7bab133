export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const MAX_STAMPS = 50_000;
const stamps = new Map<number, string>();

/** With microseconds, like creation timestamps on the wire. Cached, since few distinct values occur. */
export function stamp(at: number): string {
  const known = stamps.get(at);
  if (known !== undefined) return known;
  if (stamps.size >= MAX_STAMPS) stamps.clear();
  const text = new Date(at).toISOString().replace('Z', '000Z');
  stamps.set(at, text);
  return text;
}

/** With whole seconds, like `next_run` on the wire. */
export function wholeSeconds(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

const RFC3339 = /^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d)?)?$/;

/** Milliseconds since 1970 of a date or a time; UTC without a zone; undefined when invalid. */
export function parseInstant(text: string): number | undefined {
  const trimmed = text.trim();
  if (!RFC3339.test(trimmed)) return undefined;
  const zoned = trimmed.length > 10 && !/(?:[Zz]|[+-]\d\d:?\d\d)$/.test(trimmed) ? `${trimmed}Z` : trimmed;
  const at = Date.parse(zoned.replace(' ', 'T'));
  return Number.isNaN(at) ? undefined : at;
}
