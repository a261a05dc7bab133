import { mapLimited } from '../../../base/index.ts';
import { OCM_CONCURRENCY, type OcmClient, type VersionGateRecord } from '../../../clients/ocm/index.ts';
import { nextMinors, openGates, unblocked } from '../../../upgrades/index.ts';
import { complete, type Member } from './organization.ts';

/** A version gate that stands before a cluster, and that nobody agreed to. */
export interface GateRow {
  readonly cluster: string;
  readonly clusterId: string;
  readonly version: string;
  readonly gate: VersionGateRecord;
}

/** Gates before clusters: of one minor, or of those that each may come to next. */
export async function gateRows(
  client: OcmClient,
  members: readonly Member[],
  { blocked = [], minor }: { readonly blocked?: readonly string[]; readonly minor?: string },
): Promise<GateRow[]> {
  const gates = complete(await client.listVersionGates(minor === undefined ? undefined : [minor]));
  const rows = await mapLimited(members, OCM_CONCURRENCY, async ({ name, cluster }): Promise<GateRow[]> => {
    if (cluster === undefined) return [];
    const facts = { version: cluster.version.rawId, sts: cluster.sts };
    const upgrades = unblocked(cluster.version.availableUpgrades, blocked);
    const minors = minor === undefined ? nextMinors(facts.version, upgrades) : new Set([minor]);
    if (openGates(facts, gates, minors, new Set()).length === 0) return [];
    const agreements = complete(await client.listGateAgreements(cluster.id));
    const agreed = new Set(agreements.map(({ gateId }) => gateId));
    return openGates(facts, gates, minors, agreed).map((gate) => ({
      ...{ cluster: name, clusterId: cluster.id, version: facts.version, gate },
    }));
  });
  return rows.flat();
}
