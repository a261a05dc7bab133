import { type Instant, MICROS, secondText, secondTextAfter, soakCountsFrom } from '../../gates/index.ts';
import type { Ledger } from './ledger.ts';

/** Clocks of two machines differ by less. */
const TOLERATED = 5 * MICROS.minute;

/** A history whose last observation is in the future: by a clock that was ahead, unless this one is behind. */
export interface ClockDoubt {
  readonly checkIn: Instant;
  /** Soak counts again from here, if this clock stays as it is. */
  readonly countsFrom: Instant;
}

export function clockDoubt(ledger: Pick<Ledger, 'checkIn' | 'behind'>, now: Instant): ClockDoubt | undefined {
  const { checkIn } = ledger;
  if (checkIn === undefined || checkIn - now <= TOLERATED) return undefined;
  return { checkIn, countsFrom: soakCountsFrom(ledger, now) };
}

export function clockDoubtText({ checkIn, countsFrom }: ClockDoubt): string {
  return `soak is not counted before ${secondTextAfter(countsFrom)}: the history was last observed at ${secondText(checkIn)}, which is in the future; either that clock was ahead, or this one is behind`;
}
