import type { Instant } from '../../gates/index.ts';
import type { ClusterPlan } from '../scheduler/fleet-plan.ts';

/** What a cluster waits for. */
export type Awaited = Pick<ClusterPlan, 'action' | 'gate' | 'reason' | 'to'>;

/** What a cluster waits for since some time. */
export interface Waiting extends Awaited {
  readonly since: Instant;
}

interface Known extends Pick<ClusterPlan, 'action' | 'gate' | 'to'> {
  readonly entries: Map<Instant, Waiting>;
}

/** Equal entries as one: clusters that wait for the same since the same time are many, in one organization and in all. */
export class WaitingEntries {
  readonly #byReason = new Map<string, Known[]>();

  entryOf(since: Instant, awaited: Awaited): Waiting {
    const { entries } = this.#knownOf(awaited);
    const known = entries.get(since);
    if (known !== undefined) return known;
    const entry = written(since, awaited);
    entries.set(since, entry);
    return entry;
  }

  #knownOf({ action, gate, to, reason }: Awaited): Known {
    const ofReason = this.#byReason.get(reason);
    for (const known of ofReason ?? [])
      if (known.action === action && known.gate === gate && known.to === to) return known;
    const known = { action, gate, to, entries: new Map() } as Known;
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
