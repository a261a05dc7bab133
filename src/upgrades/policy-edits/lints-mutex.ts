import { count } from '../../base/index.ts';
import { parallelLimit } from '../engine/mutexes.ts';
import { clusterKey } from '../policies/label-keys.ts';
import { type Fault, type SectorSpec, type UpgradePolicy, warning } from '../policies/org-spec.ts';

/** A cluster with an upgrade policy that never ends by itself, so that it holds its mutexes forever. */
export interface EndlessUpgrade {
  readonly cluster: string;
  readonly mutexes: readonly string[];
  readonly sector?: string;
  /** The reason, such as `it has a policy of automatic upgrades`. */
  readonly reason: string;
  /** How to fix it. */
  readonly hint: string;
}

interface MutexFacts {
  readonly clusters: readonly { readonly name: string; readonly policy: UpgradePolicy }[];
  readonly sectors: readonly SectorSpec[];
  readonly endless?: readonly EndlessUpgrade[];
}

const MOST_NAMED = 3;

/** Mutexes that are never free, and the clusters that wait for them. */
export function mutexLints(facts: MutexFacts): (Fault & { readonly cluster: string })[] {
  const { endless = [] } = facts;
  return endless.flatMap((holder) =>
    holder.mutexes.flatMap((mutex) => {
      const waiting = facts.clusters.filter((cluster) => waitsFor(cluster, mutex, holder, facts));
      if (waiting.length === 0) return [];
      const names = waiting.slice(0, MOST_NAMED).map(({ name }) => name);
      const others = waiting.length > names.length ? [...names, '…'] : names;
      const message = `mutex ${mutex} is never free, and ${count(waiting.length, 'cluster')} never upgraded (${others.join(', ')}): ${holder.reason}`;
      return [{ cluster: holder.cluster, ...warning(clusterKey('mutexes'), message, holder.hint) }];
    }),
  );
}

/** In a sector with a limit, clusters are upgraded while the limit leaves room. */
function waitsFor(
  { name, policy }: MutexFacts['clusters'][number],
  mutex: string,
  holder: EndlessUpgrade,
  { clusters, sectors, endless = [] }: MutexFacts,
): boolean {
  if (name === holder.cluster || !policy.mutexes?.includes(mutex)) return false;
  const { sector } = policy;
  const limit = sectors.find((each) => each.name === sector)?.maxParallelUpgrades;
  if (limit === undefined || sector === undefined || holder.sector !== sector) return true;
  const inSector = clusters.filter((each) => each.policy.sector === sector && each.policy.mutexes?.includes(mutex));
  const holding = endless.filter((each) => each.sector === sector && each.mutexes.includes(mutex));
  const unseen = holding.filter((each) => !inSector.some((cluster) => cluster.name === each.cluster));
  return holding.length >= (parallelLimit(limit, inSector.length + unseen.length) ?? 0);
}
