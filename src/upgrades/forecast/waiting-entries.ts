import type { Instant } from '../../gates/index.ts';
import type { ClusterPlan } from '../views/plan.ts';

/** What a cluster waits for. */
export type Awaited = Pick<ClusterPlan, 'action' | 'gate' | 'reason' | 'to'>;

/** What a cluster waits for since some time. */
export interface Waiting extends Awaited {
  readonly since: Instant;
}

interface Known extends Awaited {
  /** The first; most are the only one. */
  first: Waiting | undefined;
  others: Map<Instant, Waiting> | undefined;
}

/** Equal entries as one, and equal reasons as one text: clusters that wait for the same since the same time are many, in one organization and in all. */
export class WaitingEntries {
  readonly #byReason = new Map<string, Known[]>();

  entryOf(since: Instant, awaited: Awaited): Waiting {
    const known = this.#knownOf(awaited);
    const same = known.first?.since === since ? known.first : known.others?.get(since);
    if (same !== undefined) return same;
    const entry = written(since, known);
    if (known.first === undefined) known.first = entry;
    else {
      known.others ??= new Map();
      known.others.set(since, entry);
    }
    return entry;
  }

  #knownOf({ action, gate, to, reason }: Awaited): Known {
    const ofReason = this.#byReason.get(reason);
    for (const known of ofReason ?? [])
      if (known.action === action && known.gate === gate && known.to === to) return known;
    const known = { action, gate, to, reason, first: undefined, others: undefined } as Known;
    if (ofReason === undefined) this.#byReason.set(reason, [known]);
    else ofReason.push(known);
    return known;
  }
}

/** Each form is written out, so that an object is as small as its fields. */
function written(since: Instant, { action, reason, gate, to }: Awaited): Waiting {
  if (gate === undefined) return to === undefined ? { since, action, reason } : { since, action, reason, to };
  return to === undefined ? { since, action, reason, gate } : { since, action, reason, gate, to };
}
