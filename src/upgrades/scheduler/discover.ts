import { byText, defined } from '../../base/index.ts';
import { type Instant, MICROS } from '../../gates/index.ts';
import type { Organization, OrgId } from '../../instance/index.ts';
import { type Labels, PREFIX } from '../policies/label-keys.ts';
import type { Fault } from './fault.ts';
import { Findings } from './findings.ts';
import type { Placed } from './placed-clusters.ts';
import type { LabelRow, Listed, SubscriptionRow, UpgradeApi } from './upgrade-api.ts';

export interface DiscoveredCluster {
  readonly row: Placed['row'];
  /** Under their full keys. */
  readonly labels: Labels;
  /** One of its labels could not be read: its policy is unknown. */
  readonly unread?: string;
}

export interface DiscoveredOrganization {
  readonly orgId: OrgId;
  readonly labels: Labels;
  /** The file that declares its policies; absent where labels do. */
  readonly declared?: Organization;
  /** By age, then by id. */
  readonly clusters: readonly DiscoveredCluster[];
  /** What is missing from this view. Without it nothing may be decided. */
  readonly faults: readonly Fault[];
}

/** An organization that is served, before its clusters are read. */
export interface KnownOrganization extends Pick<DiscoveredOrganization, 'orgId' | 'labels' | 'declared' | 'faults'> {
  /** Those of its clusters. */
  readonly subscriptions: readonly string[];
  /** Only clusters with these names belong to it; all when absent. */
  readonly names?: ReadonlySet<string>;
  /** Something of it could not be read: it is reported even if none of its clusters is in view. */
  readonly isDoubtful: boolean;
}

/** What fleet-wide calls show of one OCM, before any cluster is read. */
export interface Discovery {
  /** Those that are served and have a labelled subscription, or a label that could not be read. */
  readonly organizations: readonly KnownOrganization[];
  /** The labels of a cluster by its subscription. */
  labelsOf(subscriptionId: string): Pick<DiscoveredCluster, 'labels' | 'unread'>;
  /** Lets go of the labels of clusters that were decided on. */
  forgetLabels(subscriptionIds: readonly string[]): void;
  /** Labels of all organizations, served or not; those with an unreadable label are left out. */
  readonly organizationLabels: ReadonlyMap<string, Labels>;
  readonly doubtful: ReadonlySet<string>;
}

export interface DiscoverOptions {
  readonly serves: (orgId: string) => boolean;
  readonly now: () => Instant;
  /** Subscriptions of other organizations, remembered between passes; extended here. */
  readonly foreign?: Map<string, Instant>;
}

/** A transfer to a served organization is detected after this time. */
const FOREIGN_LASTS = MICROS.hour;

/**
 * A list of labels, then of their subscriptions: a page for each hundred. An unreadable record affects only its cluster or
 * organization. If its owner is unknown, no organization of this OCM is served.
 */
export async function discover(api: UpgradeApi, options: DiscoverOptions): Promise<Discovery> {
  const findings = new Findings();
  const { bySubscription, byOrganization } = ownersOf(await api.listLabels(PREFIX), findings);
  const owners = new Set([...bySubscription.keys(), ...findings.unreadLabels.keys()]);
  const organizations = Map.groupBy(
    await subscriptionsOf(api, notForeign(owners, options), findings),
    ([, orgId]) => orgId,
  );
  const foreign = [...organizations].flatMap(([orgId, found]) => (options.serves(orgId) ? [] : found));
  noteForeign(
    owners,
    foreign.map(([id]) => id),
    options,
  );
  const doubtful = new Set(findings.organizations());
  const names = [...new Set([...organizations.keys(), ...doubtful])].filter(options.serves).sort(byText);
  keepOnly(bySubscription, new Set(names.flatMap((orgId) => organizations.get(orgId) ?? []).map(([id]) => id)));
  return {
    organizationLabels: new Map([...byOrganization].filter(([orgId]) => !doubtful.has(orgId))),
    doubtful,
    organizations: names.map((orgId) => ({
      orgId: orgId as OrgId,
      labels: byOrganization.get(orgId) ?? {},
      subscriptions: (organizations.get(orgId) ?? []).map(([id]) => id),
      faults: findings.faultsOf(orgId),
      isDoubtful: doubtful.has(orgId),
    })),
    labelsOf: (id) => ({ labels: bySubscription.get(id) ?? {}, ...defined({ unread: findings.unreadLabels.get(id) }) }),
    forgetLabels: (ids) => {
      for (const id of ids) bySubscription.delete(id);
    },
  };
}

export interface Owners {
  readonly bySubscription: Map<string, Labels>;
  readonly byOrganization: ReadonlyMap<string, Labels>;
}

export function ownersOf({ items, problems }: Listed<LabelRow>, findings: Findings): Owners {
  const bySubscription = new Map<string, Record<string, string>>();
  const byOrganization = new Map<string, Record<string, string>>();
  for (const { key, value, subscriptionId, organizationId } of items) {
    if (subscriptionId !== undefined) labelsIn(bySubscription, subscriptionId)[key] = value;
    else if (organizationId !== undefined) labelsIn(byOrganization, organizationId)[key] = value;
  }
  for (const problem of problems) {
    const { subscription_id: subscription, organization_id: organization } = problem.known;
    const label = organization === undefined ? 'a label' : `a label of organization ${organization}`;
    if (subscription === undefined) findings.add(organization, label, problem);
    else findings.unreadLabels.set(subscription, `one of its labels is unreadable: ${problem.message}`);
  }
  return { bySubscription, byOrganization };
}

function labelsIn(owners: Map<string, Record<string, string>>, id: string): Record<string, string> {
  const labels = owners.get(id) ?? {};
  owners.set(id, labels);
  return labels;
}

function notForeign(owners: ReadonlySet<string>, { foreign, now }: DiscoverOptions): string[] {
  const since = now() - FOREIGN_LASTS;
  return [...owners].filter((id) => (foreign?.get(id) ?? Number.NEGATIVE_INFINITY) <= since);
}

function noteForeign(owners: ReadonlySet<string>, found: readonly string[], { foreign, now }: DiscoverOptions): void {
  if (foreign === undefined) return;
  for (const id of foreign.keys()) if (!owners.has(id)) foreign.delete(id);
  for (const id of found) foreign.set(id, now());
}

function keepOnly(labels: Map<string, Labels>, ids: ReadonlySet<string>): void {
  for (const id of labels.keys()) if (!ids.has(id)) labels.delete(id);
}

/** The organization of each. */
async function subscriptionsOf(
  api: UpgradeApi,
  ids: readonly string[],
  findings: Findings,
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  return organizationsBySubscription(await api.listSubscriptions(ids), findings);
}

/** The organization of each subscription that could be read. */
export function organizationsBySubscription(
  { items, problems }: Listed<SubscriptionRow>,
  findings: Findings,
): ReadonlyMap<string, string> {
  for (const problem of problems) findings.add(problem.known['organization_id'], 'the subscription', problem);
  return new Map(items.map(({ id, organizationId }) => [id, organizationId]));
}
