import { byText } from '../../base/index.ts';
import { PREFIX, type Reading } from '../policies/label-keys.ts';
import {
  clustersOf,
  Findings,
  type Owners,
  organizationsBySubscription,
  ownersOf,
  type Placed,
} from '../scheduler/discovery.ts';
import type { Fault, Site, UpgradeApi } from '../scheduler/ports.ts';
import { allowedGates, organizationsThatAllow } from './allowances.ts';

/** A cluster in scope, and the gates approved for it. */
export interface ApprovableCluster {
  readonly orgId: string;
  readonly row: Placed['row'];
  readonly allowed: ReadonlySet<string>;
  /** One of its labels could not be read: its approvals are unknown. */
  readonly unread?: string;
}

interface FoundClusters {
  readonly clusters: readonly ApprovableCluster[];
  /** Of organizations that could not be read completely: nothing is agreed to there. */
  readonly faults: ReadonlyMap<string, readonly Fault[]>;
}

const READY = 'ready';

/** Clusters that are ready and whose subscription, organization or file says something about upgrades. */
export async function findClusters(api: UpgradeApi, site: Site, reading: Reading): Promise<FoundClusters> {
  const findings = new Findings();
  const owners = ownersOf(await api.listLabels(PREFIX), findings);
  const rows = await clustersOf(api, await subscriptionsOf(api, site, owners, findings), findings);
  const orgIds = new Set([...rows.map(({ orgId }) => orgId), ...findings.organizations()]);
  const served = [...orgIds].filter((orgId) => site.serves(orgId) !== undefined).sort(byText);
  const faults = new Map(
    served.flatMap((orgId) => {
      const found = findings.faultsOf(orgId);
      return found.length === 0 ? [] : [[orgId, found]];
    }),
  );
  return {
    faults,
    clusters: rows
      .filter(({ row, orgId }) => row.state === READY && !faults.has(orgId))
      .flatMap((placed) => approvable(placed, site, owners, findings, reading)),
  };
}

/** Those with labels of their own, and all of organizations that have a label or allow something in their file. */
async function subscriptionsOf(
  api: UpgradeApi,
  site: Site,
  { bySubscription, byOrganization }: Owners,
  findings: Findings,
): Promise<ReadonlyMap<string, string>> {
  const serves = (orgId: string): boolean => site.serves(orgId) !== undefined;
  const whole = [...new Set([...byOrganization.keys(), ...organizationsThatAllow(site.declared)])].filter(serves);
  const single = [...new Set([...bySubscription.keys(), ...findings.unreadLabels.keys()])];
  const lists = [
    ...(single.length === 0 ? [] : [await api.listSubscriptions(single)]),
    ...(whole.length === 0 ? [] : [await api.listOrganizationSubscriptions(whole.sort(byText))]),
  ];
  return new Map(
    lists.flatMap((list) => [...organizationsBySubscription(list, findings)]).filter(([, orgId]) => serves(orgId)),
  );
}

function approvable(
  { row, subscriptionId, orgId }: Placed,
  { declared }: Site,
  { bySubscription, byOrganization }: Owners,
  { unreadLabels }: Findings,
  reading: Reading,
): ApprovableCluster[] {
  const labels = bySubscription.get(subscriptionId);
  const unread = unreadLabels.get(subscriptionId);
  const organizationLabels = byOrganization.get(orgId);
  const allowed = allowedGates({ name: row.name, orgId, labels, organizationLabels, declared }, reading);
  if (unread !== undefined) return [{ orgId, row, allowed: new Set(), unread }];
  return allowed === undefined ? [] : [{ orgId, row, allowed }];
}
