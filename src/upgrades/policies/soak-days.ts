/** More is most likely a typo. */
export const MAX_SOAK_DAYS = 36_500;

const WHOLE_NUMBER = /^\s*([+-]?\d+(?:_\d+)*)(?:\.0+)?\s*$/;

/** Whole days, also written as `+3`, `1_000` or `1.0`; undefined for anything else. */
export function parseSoakDays(text: string): number | undefined {
  const [, digits] = WHOLE_NUMBER.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits.replaceAll('_', ''));
}
