import { DAY, HOUR, MINUTE, parseInstant, SECOND } from '../instants.ts';

const UNIT: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };
const DURATION = /^-?(?:\d+(?:\.\d+)?[smhd])+$/;
const RELATIVE = /^day (-?\d+(?:\.\d+)?)(?: (\d\d):(\d\d))?$/;

/** From and to, in milliseconds; equal for a fixed value. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

/** Milliseconds of `90m` or `1h30m`; undefined when invalid. */
export function parseDuration(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  const parts = text.matchAll(/(\d+(?:\.\d+)?)([smhd])/g);
  const total = [...parts].reduce((sum, [, digits, unit]) => sum + Number(digits) * (UNIT[unit ?? ''] ?? 0), 0);
  return text.startsWith('-') ? -total : total;
}

/** `90m`, or `60m..2h`. */
export function parseRange(text: string): Range | undefined {
  const [first = '', second = first, ...more] = text.split('..');
  const [low, high] = [parseDuration(first), parseDuration(second)];
  if (low === undefined || high === undefined || more.length > 0 || low < 0 || low > high) return undefined;
  return { low, high };
}

/** `2026-03-02T06:00:00Z`, or `day 12` and `day 12 06:30`, counted from the start of the fleet. */
export function parseWhen(text: string, start: number): number | undefined {
  const [, days, hours = '0', minutes = '0'] = RELATIVE.exec(text) ?? [];
  if (days === undefined) return parseInstant(text);
  return start + Number(days) * DAY + Number(hours) * HOUR + Number(minutes) * MINUTE;
}

/** `5%`, or a number from 0 to 1. */
export function parseShare(value: string | number): number | undefined {
  const number = typeof value === 'number' ? value : Number(/^(\d+(?:\.\d+)?)%$/.exec(value)?.[1] ?? Number.NaN) / 100;
  return number >= 0 && number <= 1 ? number : undefined;
}
