import type { Brand } from '../base/index.ts';

/** Microseconds since 1970-01-01T00:00:00Z; exact up to the year 2255. The existing history counts in microseconds. */
export type Instant = Brand<number, 'Instant'>;

/** A length of time in microseconds. */
export const MICROS = {
  millisecond: 1_000,
  second: 1_000_000,
  minute: 60_000_000,
  hour: 3_600_000_000,
  day: 86_400_000_000,
} as const;

/** A time, as a regular expression; not every day and hour that it matches exists. */
export const INSTANT_PATTERN =
  '^(\\d{4}-\\d\\d-\\d\\d)[T ](\\d\\d:\\d\\d:\\d\\d)(?:\\.(\\d{1,9}))?(Z|[+-]\\d\\d:\\d\\d)?$';
const ISO = new RegExp(INSTANT_PATTERN);

/** Reads ISO 8601; without a zone, or with a blank for the `T` as old histories have it, it is UTC. */
export function parseInstant(text: string): Instant | undefined {
  const [, date, time, fraction = '', zone = 'Z'] = ISO.exec(text) ?? [];
  if (date === undefined || time === undefined) return undefined;
  const milliseconds = Date.parse(`${date}T${time}${zone}`);
  const day = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(milliseconds) || new Date(day).toISOString().slice(0, date.length) !== date) return undefined;
  const instant = milliseconds * MICROS.millisecond + Number(fraction.padEnd(6, '0').slice(0, 6));
  return Number.isSafeInteger(instant) ? (instant as Instant) : undefined;
}

export function instantOf(milliseconds: number): Instant {
  return (milliseconds * MICROS.millisecond) as Instant;
}

/** Milliseconds since 1970, rounded down. */
export function millisecondsOf(instant: Instant): number {
  return Math.floor(instant / MICROS.millisecond);
}

export function later(instant: Instant, micros: number): Instant {
  return (instant + micros) as Instant;
}

/** `2024-03-01T10:00:00Z`; a fraction of six digits only where there is one. */
export function instantText(instant: Instant): string {
  const micros = ((instant % MICROS.second) + MICROS.second) % MICROS.second;
  const seconds = secondText(instant);
  return micros === 0 ? seconds : seconds.replace('Z', `.${String(micros).padStart(6, '0')}Z`);
}

/** `2024-03-01T10:00:00Z`; fractions of a second are cut. */
export function secondText(instant: Instant): string {
  const seconds = Math.floor(instant / MICROS.second);
  return `${new Date(seconds * 1_000).toISOString().slice(0, 19)}Z`;
}

/** Rounded up to a whole second: an earliest time that is cut would be too early. */
export function secondTextAfter(instant: Instant): string {
  return secondText((Math.ceil(instant / MICROS.second) * MICROS.second) as Instant);
}
