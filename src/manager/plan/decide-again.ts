import type { KubeObject } from '../desired/desired-namespace.ts';
import { differences } from './differences.ts';
import type { PlanItem, Seen } from './plan-item.ts';
import { seenOf } from './seen.ts';

type Observed = Extract<PlanItem, { readonly seen: Seen }>;

/** What becomes of an item that the server refused because its object changed since it was observed. */
type SecondDecision =
  /** Only its status changed: the same write, to the object as it is now. */
  | { readonly kind: 'same'; readonly seen: Seen }
  /** The object is already as planned, such as after a write whose response was lost. */
  | { readonly kind: 'done' }
  /** It is not the object that was planned for any more. */
  | { readonly kind: 'changed' };

/** Decides an item again from a fresh observation of its object; undefined when the object is gone. Pure. */
export function decideAgain(item: Observed, live: KubeObject | undefined): SecondDecision {
  if (live === undefined) return { kind: item.action === 'delete' ? 'done' : 'changed' };
  const seen = seenOf(live);
  if (seen.fingerprint === item.seen.fingerprint) return { kind: 'same', seen };
  const isWritten = item.action === 'update' || item.action === 'adopt';
  const isSame = seen.uid === item.seen.uid;
  return { kind: isWritten && isSame && differences(live, item.object).length === 0 ? 'done' : 'changed' };
}
