import { MICROS } from '../../gates/index.ts';

const UNITS: Readonly<Record<string, number>> = {
  s: MICROS.second,
  m: MICROS.minute,
  h: MICROS.hour,
  d: MICROS.day,
};
/** A duration, as a regular expression. */
export const DURATION_PATTERN = '^(?:\\d{1,6}[smhd])+$';
const DURATION = new RegExp(DURATION_PATTERN);

/** Microseconds of `4h`, `1d12h` or `90m`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  return [...text.matchAll(/(\d+)([smhd])/g)].reduce(
    (sum, [, n, unit]) => sum + Number(n) * (UNITS[unit ?? ''] ?? 0),
    0,
  );
}

/** `1d 12h`, `3h 59m`, `40s`; rounded down, with at most two units. */
export function durationText(micros: number): string {
  const parts: string[] = [];
  let left = Math.max(0, micros);
  for (const [unit, size] of Object.entries(UNITS).toReversed()) {
    const n = Math.floor(left / size);
    if (n > 0 && parts.length < 2) parts.push(`${n}${unit}`);
    left -= n * size;
  }
  return parts.length === 0 ? '0s' : parts.join(' ');
}
