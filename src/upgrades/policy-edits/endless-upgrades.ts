import { defined, mapLimited } from '../../base/index.ts';
import { parseClusterLabels } from '../policies/labels.ts';
import type { EndlessUpgrade } from './lints-mutex.ts';
import type { Member } from './members.ts';
import type { PolicyApi, ScheduledUpgradeRow } from './policy-api.ts';

/** Parallel reads of policies. */
const CONCURRENCY = 5;
const DAY_MS = 24 * 3_600_000;
const UNDER_WAY = new Set(['started', 'delayed']);

/** Clusters that block others forever. Reads policies only of clusters that share a mutex. */
export async function endlessUpgrades(
  api: PolicyApi,
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
    const endless = await endlessUpgrade(api, member, now);
    const place = { cluster: member.name, mutexes, ...defined({ sector }) };
    return endless === undefined ? [] : [{ ...place, ...endless }];
  });
  return found.flat();
}

type Reason = Pick<EndlessUpgrade, 'reason' | 'hint'>;

async function endlessUpgrade(api: PolicyApi, { cluster }: Member, now: Date): Promise<Reason | undefined> {
  if (cluster === undefined) return undefined;
  const kind = cluster.hypershift ? 'control-plane' : 'classic';
  const { items } = await api.listUpgradePolicies({ kind, clusterId: cluster.id });
  return items.map((upgrade) => reasonOf(upgrade, now)).find((reason) => reason !== undefined);
}

function reasonOf({ scheduleType, state, version, nextRun }: ScheduledUpgradeRow, now: Date): Reason | undefined {
  if (scheduleType === 'automatic')
    return {
      reason: 'it has a policy of automatic upgrades, which never ends',
      hint: 'delete that policy in OCM; the cluster labels replace it',
    };
  const isLate = nextRun !== undefined && now.getTime() - Date.parse(nextRun) > DAY_MS;
  if (!isLate || !UNDER_WAY.has(state?.value ?? '')) return undefined;
  return {
    reason: `its upgrade to ${version ?? 'another version'} should have started at ${nextRun} and has not finished`,
    hint: 'check that cluster, or its upgrade policy in OCM',
  };
}
