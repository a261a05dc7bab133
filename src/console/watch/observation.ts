import { type Instant, instantOf } from '../../gates/index.ts';
import { type Fault, faultOf } from '../../upgrades/index.ts';
import type { Half } from '../state.ts';

/** What was observed, or that there is nothing to observe. */
export type Observed<Data> =
  | { readonly kind: 'seen'; readonly data: Data }
  | { readonly kind: 'absent'; readonly message: string; readonly hint: string };

/** Observes once. What there is to show before it is over is given to `early`. */
export type Observe<Data> = (signal: AbortSignal, early: (data: Data) => void) => Promise<Observed<Data>>;

export interface ObservationParts<Data> {
  readonly now: () => Date;
  readonly signal: AbortSignal;
  readonly onEarly?: (half: Half<Data>) => void;
}

/** A half after another observation. One that fails leaves what the last good one saw, with why it failed. */
export async function observedAgain<Data>(
  before: Half<Data>,
  observe: Observe<Data>,
  { now, signal, onEarly }: ObservationParts<Data>,
): Promise<Half<Data>> {
  const asOf: Instant = instantOf(now().getTime());
  try {
    const observed = await observe(signal, (data) => onEarly?.({ kind: 'known', asOf, data }));
    return observed.kind === 'absent' ? observed : { kind: 'known', asOf, data: observed.data };
  } catch (thrown) {
    signal.throwIfAborted();
    const error: Fault = faultOf(thrown);
    return before.kind === 'known' ? { ...before, error } : { kind: 'failed', at: asOf, error };
  }
}
