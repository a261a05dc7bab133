import { EchelonError, messageOf } from '../../../base/index.ts';
import type { Half } from '../../../console/index.ts';
import { type Fault, type Instant, instantOf } from '../../../upgrades/index.ts';

/** What a look found, or that there is nothing to look at. */
export type Looked<Data> =
  | { readonly kind: 'seen'; readonly data: Data }
  | { readonly kind: 'absent'; readonly message: string; readonly hint: string };

/** Looks once. What there is to see before the look is over is given to `early`. */
export type LookAt<Data> = (signal: AbortSignal, early: (data: Data) => void) => Promise<Looked<Data>>;

export interface LookParts<Data> {
  readonly now: () => Date;
  readonly signal: AbortSignal;
  readonly onEarly?: (half: Half<Data>) => void;
}

/** A half after another look. One that fails leaves what the last good one saw, with why it failed. */
export async function lookedAgain<Data>(
  before: Half<Data>,
  look: LookAt<Data>,
  { now, signal, onEarly }: LookParts<Data>,
): Promise<Half<Data>> {
  const asOf: Instant = instantOf(now().getTime());
  try {
    const looked = await look(signal, (data) => onEarly?.({ kind: 'known', asOf, data }));
    return looked.kind === 'absent' ? looked : { kind: 'known', asOf, data: looked.data };
  } catch (thrown) {
    signal.throwIfAborted();
    const error = faultOf(thrown);
    return before.kind === 'known' ? { ...before, error } : { kind: 'failed', at: asOf, error };
  }
}

export function faultOf(thrown: unknown): Fault {
  if (thrown instanceof EchelonError) return { code: thrown.code, message: thrown.message, hint: thrown.hint };
  return {
    code: 'INTERNAL',
    message: messageOf(thrown),
    hint: 'this is a fault of Echelon: report it with the version of Echelon',
  };
}
