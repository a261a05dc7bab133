import { type Instant, instantOf } from '../../gates/index.ts';
import { type Fault, faultOf } from '../../upgrades/index.ts';
import type { Half } from '../state.ts';

/** What was observed, or that there is nothing to observe. */
type Observed<Data> =
  | { readonly kind: 'seen'; readonly data: Data }
  | { readonly kind: 'absent'; readonly message: string; readonly hint: string };

/** Observes once. Partial data is passed to `early`. */
export type Observe<Data> = (signal: AbortSignal, early: (data: Data) => void) => Promise<Observed<Data>>;

interface ObservationParts<Data> {
  readonly now: () => Date;
  readonly signal: AbortSignal;
  readonly onEarly?: (half: Half<Data>) => void;
}

/** A half after another observation. A failed one keeps the data of the last successful one, with the error. */
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
