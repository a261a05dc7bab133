import type { UpgradeVerdict } from '../engine/gate.ts';

/** Several verdicts are one number: `digits * DIGIT + digitOf(verdict)`. */
export const DIGIT = 4;

/** A verdict as a digit: closed, open, or not to be evaluated. */
export function digitOf({ ok, fault }: UpgradeVerdict): number {
  return fault === undefined ? Number(ok) : 2;
}

/** Whether one of the verdicts could not be evaluated. */
export function hasFault(digits: number): boolean {
  for (let rest = digits; rest > 0; rest = Math.floor(rest / DIGIT)) if (rest % DIGIT === 2) return true;
  return false;
}
