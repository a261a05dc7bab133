import { byText } from '../../base/index.ts';
import type { Findings } from './findings.ts';
import type { ClusterRow, Unread, UpgradeApi } from './upgrade-api.ts';

/** The state of a cluster whose record is invalid. */
const NOT_READABLE = 'not readable';

/** A cluster and its organization. */
export interface Placed {
  readonly row: ClusterRow & { readonly externalId: string };
  readonly subscriptionId: string;
  readonly orgId: string;
}

/** A cluster that is not installed yet has no UUID and is skipped. */
export async function clustersOf(
  api: UpgradeApi,
  subscriptions: ReadonlyMap<string, string>,
  findings: Findings,
): Promise<Placed[]> {
  if (subscriptions.size === 0) return [];
  const { items, problems } = await api.listClusters([...subscriptions.keys()]);
  const rows = [...items, ...problems.flatMap((problem) => salvaged(problem, subscriptions, findings))];
  return rows.sort(byAge).flatMap((row) => {
    const { externalId, subscriptionId = '' } = row;
    const orgId = subscriptions.get(subscriptionId);
    return externalId === undefined || orgId === undefined
      ? []
      : [{ row: { ...row, externalId }, subscriptionId, orgId }];
  });
}

export function byAge(a: ClusterRow, b: ClusterRow): number {
  return byText(a.createdAt ?? '', b.createdAt ?? '') || byText(a.id, b.id);
}

/** The readable part of an invalid cluster record: enough to count the cluster, which is not upgraded. */
function salvaged(problem: Unread, subscriptions: ReadonlyMap<string, string>, findings: Findings): ClusterRow[] {
  const { id, known } = problem;
  const { external_id: externalId, 'subscription.id': subscriptionId, state } = known;
  if (id === undefined || subscriptionId === undefined || (externalId === undefined && !isBeforeReady(state))) {
    findings.add(subscriptions.get(subscriptionId ?? ''), 'the cluster', problem);
    return [];
  }
  return [
    {
      id,
      externalId,
      name: known['name'] ?? id,
      state: NOT_READABLE,
      subscriptionId,
      productId: undefined,
      version: { id: undefined, rawId: known['version.raw_id'] ?? '', channelGroup: undefined, availableUpgrades: [] },
      channel: undefined,
      hypershift: false,
      sts: false,
      healthState: undefined,
      createdAt: undefined,
    },
  ];
}

/** Without a UUID only a cluster that is not installed yet is skipped: one that is could hold others back. */
function isBeforeReady(state: string | undefined): boolean {
  return state !== undefined && BEFORE_READY.has(state);
}

const BEFORE_READY: ReadonlySet<string> = new Set(['pending', 'validating', 'waiting', 'installing', 'error']);

/** Which clusters count. */
export interface ClustersInView {
  readonly ignoreSts: boolean;
  /** A cluster that is not ready is as if it were not there, whatever its policy. */
  readonly onlyReady?: boolean;
}

/** Of a record that could not be read nobody knows whether its cluster is ready: that stays in view, and held. */
export function isInView({ sts, state }: ClusterRow, { ignoreSts, onlyReady = false }: ClustersInView): boolean {
  return !(ignoreSts && sts) && (!onlyReady || state === 'ready' || state === NOT_READABLE);
}
