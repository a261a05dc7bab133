import { byText } from '../../base/index.ts';
import { type Instant, MICROS } from '../../gates/index.ts';
import type { Organization, OrgId } from '../../instance/index.ts';
import { type Labels, PREFIX } from '../policies/label-keys.ts';
import type { Fault } from './fault.ts';
import type { ClusterRow, LabelRow, Listed, SubscriptionRow, Unread, UpgradeApi } from './upgrade-api.ts';

export interface DiscoveredCluster {
  readonly row: ClusterRow & { readonly externalId: string };
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

/** What fleet-wide calls show of one OCM. */
export interface Discovery {
  /** Every cluster was still as shown after this. */
  readonly seenAt: Instant;
  /** Those that are served and have a labelled cluster, or a label that could not be read. */
  readonly organizations: readonly DiscoveredOrganization[];
  /** Labels of all organizations, served or not; those with an unreadable label are left out. */
  readonly organizationLabels: ReadonlyMap<string, Labels>;
  readonly doubtful: ReadonlySet<string>;
  /** Labels that could not be read, of organizations without any other: there is nothing to decide about those. */
  readonly unread: readonly Fault[];
}

export interface DiscoverOptions {
  readonly serves: (orgId: string) => boolean;
  readonly ignoreSts: boolean;
  /** A cluster that is not ready is as if it were not there, whatever its policy. */
  readonly onlyReady?: boolean;
  readonly now: () => Instant;
  /** Subscriptions of other organizations, remembered between passes; extended here. */
  readonly foreign?: Map<string, Instant>;
}

/** The state of a cluster whose record is invalid. */
const NOT_READABLE = 'not readable';
/** A transfer to a served organization is detected after this time. */
const FOREIGN_LASTS = MICROS.hour;

/**
 * A list of labels, then of their subscriptions, then of the clusters of those that are served: a page for each hundred.
 * An unreadable record affects only its cluster or organization. If its owner is unknown, no organization of this OCM is
 * served, unless it is certain that it is none of those.
 */
export async function discover(api: UpgradeApi, options: DiscoverOptions): Promise<Discovery> {
  const findings = new Findings();
  const { bySubscription, byOrganization } = ownersOf(await api.listLabels(PREFIX), findings);
  const owners = new Set([...bySubscription.keys(), ...findings.unreadLabels.keys()]);
  const subscriptions = await subscriptionsOf(api, notForeign(owners, options), findings);
  const served = new Map([...subscriptions].filter(([, orgId]) => options.serves(orgId)));
  noteForeign(
    owners,
    [...subscriptions.keys()].filter((id) => !served.has(id)),
    options,
  );
  const seenAt = options.now();
  const rows = await clustersOf(api, served, findings);
  const clusters = Map.groupBy(
    rows.filter(({ row }) => isInView(row, options)),
    ({ orgId }) => orgId,
  );
  const doubtful = new Set(findings.organizations());
  const names = [...new Set([...clusters.keys(), ...doubtful])].filter(options.serves).sort(byText);
  return {
    seenAt,
    organizationLabels: new Map([...byOrganization].filter(([orgId]) => !doubtful.has(orgId))),
    doubtful,
    unread: findings.elsewhere,
    organizations: names.map((orgId) => ({
      orgId: orgId as OrgId,
      labels: byOrganization.get(orgId) ?? {},
      clusters: (clusters.get(orgId) ?? []).map(({ row, subscriptionId }) => ({
        row,
        labels: bySubscription.get(subscriptionId) ?? {},
        ...unreadOf(findings.unreadLabels.get(subscriptionId)),
      })),
      faults: findings.faultsOf(orgId),
    })),
  };
}

/** Of a record that could not be read nobody knows whether its cluster is ready: that stays in view, and held. */
export function isInView(
  { sts, state }: ClusterRow,
  { ignoreSts, onlyReady = false }: Pick<DiscoverOptions, 'ignoreSts' | 'onlyReady'>,
): boolean {
  return !(ignoreSts && sts) && (!onlyReady || state === 'ready' || state === NOT_READABLE);
}

function unreadOf(message: string | undefined): { unread?: string } {
  return message === undefined ? {} : { unread: message };
}

const ELSEWHERE =
  'no cluster that has labels, and no organization of one, owns it, so all others are served: find and delete it in OCM';

/** Unreadable records, by owner. */
export class Findings {
  /** By subscription. */
  readonly unreadLabels = new Map<string, string>();
  /** Of owners that are not in view. */
  readonly elsewhere: Fault[] = [];
  readonly #everybody: Fault[] = [];
  readonly #byOrganization = new Map<string, Fault[]>();

  add(orgId: string | undefined, what: string, { id, message, elsewhere }: Unread): void {
    const fault = {
      code: 'OCM_RECORD_UNREADABLE',
      message: `${id === undefined ? what : `${what} ${id}`} is unreadable: ${message}`,
      hint: 'the OCM response has an unexpected format: check what changed there; nothing is decided without it',
    };
    if (elsewhere === true) this.elsewhere.push({ ...fault, hint: ELSEWHERE });
    else if (orgId === undefined) this.#everybody.push(fault);
    else this.#byOrganization.set(orgId, [...(this.#byOrganization.get(orgId) ?? []), fault]);
  }

  organizations(): Iterable<string> {
    return this.#byOrganization.keys();
  }

  faultsOf(orgId: string): Fault[] {
    return [...this.#everybody, ...(this.#byOrganization.get(orgId) ?? [])];
  }
}

export interface Owners {
  readonly bySubscription: ReadonlyMap<string, Labels>;
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

/** A cluster and its organization. */
export interface Placed {
  readonly row: DiscoveredCluster['row'];
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

function byAge(a: ClusterRow, b: ClusterRow): number {
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
