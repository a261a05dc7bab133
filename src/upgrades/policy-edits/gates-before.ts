import { mapLimited } from '../../base/index.ts';
import { complete, type Member } from './members.ts';
import { nextMinors, openGates, unblocked } from './open-gates.ts';
import type { DescribedGate, PolicyApi } from './policy-api.ts';

/** Clusters whose agreements are read in parallel. */
const CONCURRENCY = 8;

/** A version gate that applies to a cluster and lacks an agreement. */
export interface ClosedGate {
  readonly cluster: string;
  readonly clusterId: string;
  readonly version: string;
  readonly gate: DescribedGate;
}

/** Gates of clusters: for one minor, or for those that each may reach next. */
export async function gatesBefore(
  api: PolicyApi,
  members: readonly Member[],
  { blocked = [], minor }: { readonly blocked?: readonly string[]; readonly minor?: string },
): Promise<ClosedGate[]> {
  const gates = complete(await api.listVersionGates(minor === undefined ? undefined : [minor]));
  const rows = await mapLimited(members, CONCURRENCY, async ({ name, cluster }): Promise<ClosedGate[]> => {
    if (cluster === undefined) return [];
    const facts = { version: cluster.version.rawId, sts: cluster.sts };
    const upgrades = unblocked(cluster.version.availableUpgrades, blocked);
    const minors = minor === undefined ? nextMinors(facts.version, upgrades) : new Set([minor]);
    if (openGates(facts, gates, minors, new Set()).length === 0) return [];
    const agreements = complete(await api.listGateAgreements(cluster.id));
    const agreed = new Set(agreements.map(({ gateId }) => gateId));
    return openGates(facts, gates, minors, agreed).map((gate) => ({
      ...{ cluster: name, clusterId: cluster.id, version: facts.version, gate },
    }));
  });
  return rows.flat();
}
