import { defined, mapLimited } from '../../../base/index.ts';
import type { OcmClient, UpgradePolicyRecord } from '../../../clients/ocm/index.ts';
import { type EndlessUpgrade, parseClusterLabels } from '../../../upgrades/index.ts';
import type { Member } from './organization.ts';

/** Reads of policies at once. */
const CONCURRENCY = 5;
const DAY_MS = 24 * 3_600_000;
const UNDER_WAY = new Set(['started', 'delayed']);

/** Clusters that keep others from being upgraded for good. Only those that share a mutex are asked for their policies. */
export async function endlessUpgrades(
  client: OcmClient,
  members: readonly Member[],
  now: Date,
): Promise<EndlessUpgrade[]> {
  const known = members.map((member) => ({ member, ...parseClusterLabels(member.labels, { strict: true }).known }));
  const uses = Map.groupBy(
    known.flatMap(({ mutexes = [] }) => mutexes),
    (mutex) => mutex,
  );
  const shared = known.filter(({ mutexes = [] }) => mutexes.some((mutex) => (uses.get(mutex)?.length ?? 0) > 1));
  const found = await mapLimited(shared, CONCURRENCY, async ({ member, mutexes = [], sector }) => {
    const endless = await endlessPolicy(client, member, now);
    const place = { cluster: member.name, mutexes, ...defined({ sector }) };
    return endless === undefined ? [] : [{ ...place, ...endless }];
  });
  return found.flat();
}

type Told = Pick<EndlessUpgrade, 'reason' | 'hint'>;

async function endlessPolicy(client: OcmClient, { cluster }: Member, now: Date): Promise<Told | undefined> {
  if (cluster === undefined) return undefined;
  const kind = cluster.hypershift ? 'control-plane' : 'classic';
  const { items } = await client.listUpgradePolicies({ kind, clusterId: cluster.id });
  return items.map((policy) => toldOf(policy, now)).find((told) => told !== undefined);
}

function toldOf({ scheduleType, state, version, nextRun }: UpgradePolicyRecord, now: Date): Told | undefined {
  if (scheduleType === 'automatic')
    return {
      reason: 'it has a policy of automatic upgrades, which never ends',
      hint: 'delete that policy in OCM; the labels of the cluster take its place',
    };
  const isLate = nextRun !== undefined && now.getTime() - Date.parse(nextRun) > DAY_MS;
  if (!isLate || !UNDER_WAY.has(state?.value ?? '')) return undefined;
  return {
    reason: `its upgrade to ${version ?? 'another version'} should have begun at ${nextRun} and has not ended`,
    hint: 'have somebody look at that cluster, or at its upgrade policy in OCM',
  };
}
