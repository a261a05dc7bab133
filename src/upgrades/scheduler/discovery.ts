import { byText, defined } from '../../base/index.ts';
import { type Instant, MICROS } from '../../gates/index.ts';
import type { Organization, OrgId } from '../../instance/index.ts';
import { type Inheritance, inheritanceNetwork, type Sharing } from '../policies/inheritance.ts';
import { type Labels, organizationKey, PREFIX, type Reading } from '../policies/label-keys.ts';
import { parseOrganizationLabels } from '../policies/labels.ts';
import type { DeclaredPolicies } from '../policies/organization-file.ts';
import type { ClusterRow, Fault, LabelRow, Listed, SubscriptionRow, Unread, UpgradeApi } from './ports.ts';

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

interface DiscoverOptions {
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

/**
 * The same view as from labels, for organizations whose files declare the policies: lists their subscriptions. Of their
 * clusters only those count that a file names.
 */
export async function discoverDeclared(
  api: UpgradeApi,
  { organizations, sharing }: DeclaredPolicies,
  serves: DiscoverOptions['serves'],
): Promise<Discovery> {
  const findings = new Findings();
  const served = [...organizations.values()]
    .filter((organization) => namesIn(organization).size > 0 && serves(organization.orgId))
    .sort((a, b) => byText(a.orgId, b.orgId));
  const ids = served.map(({ orgId }) => orgId);
  const subscriptions =
    ids.length === 0 ? [] : organizationsBySubscription(await api.listOrganizationSubscriptions(ids), findings);
  const byOrganization = Map.groupBy(subscriptions, ([, orgId]) => orgId);
  return {
    organizationLabels: sharing,
    doubtful: new Set(),
    organizations: served.map((declared) => {
      const { orgId } = declared;
      const faults = findings.faultsOf(orgId);
      return {
        ...{ orgId, labels: {}, declared, faults, isDoubtful: faults.length > 0, names: namesIn(declared) },
        subscriptions: (byOrganization.get(orgId) ?? []).map(([id]) => id),
      };
    }),
    labelsOf: () => ({ labels: {} }),
    forgetLabels: () => undefined,
  };
}

/** Includes clusters with unreadable policies: they are held. */
function namesIn({ policyClusters, unread = [] }: Organization): ReadonlySet<string> {
  const held = unread.flatMap(({ cluster }) => (cluster === undefined ? [] : [cluster.name]));
  return new Set([...policyClusters.map(({ name }) => name), ...held]);
}

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

/** Unreadable records, by owner. */
export class Findings {
  /** By subscription. */
  readonly unreadLabels = new Map<string, string>();
  readonly #everybody: Fault[] = [];
  readonly #byOrganization = new Map<string, Fault[]>();

  add(orgId: string | undefined, what: string, { id, message }: Unread): void {
    const fault = {
      code: 'OCM_RECORD_UNREADABLE',
      message: `${id === undefined ? what : `${what} ${id}`} is unreadable: ${message}`,
      hint: 'the OCM response has an unexpected format: check what changed there; nothing is decided without it',
    };
    if (orgId === undefined) this.#everybody.push(fault);
    else this.#of(orgId).push(fault);
  }

  #of(orgId: string): Fault[] {
    const faults = this.#byOrganization.get(orgId) ?? [];
    this.#byOrganization.set(orgId, faults);
    return faults;
  }

  organizations(): Iterable<string> {
    return this.#byOrganization.keys();
  }

  faultsOf(orgId: string): Fault[] {
    return [...this.#everybody, ...(this.#byOrganization.get(orgId) ?? [])];
  }
}

/** Labels of the organizations of one OCM; absent when they could never be read. */
export interface Neighbourhood {
  readonly environment: string;
  readonly organizationLabels?: ReadonlyMap<string, Labels>;
  /** Its organizations with unreadable labels. */
  readonly doubtful?: ReadonlySet<string>;
}

/** Who may use whose history, over all environments. */
export interface Network {
  readonly inheritance: ReadonlyMap<string, Inheritance>;
  /** Why it is unknown whether an organization's sources publish to it. */
  faultOf(orgId: string): Fault | undefined;
}

export function networkOf(neighbourhoods: readonly Neighbourhood[], reading: Reading): Network {
  const sharing = new Map<string, Sharing>();
  for (const { environment, organizationLabels = new Map<string, Labels>() } of neighbourhoods) {
    for (const [orgId, labels] of organizationLabels) {
      if (!shares(labels)) continue;
      const { inherit, publish } = parseOrganizationLabels(labels, reading);
      sharing.set(orgId, { environment, inherit, publish });
    }
  }
  const blind = neighbourhoods.flatMap(({ environment, organizationLabels }) =>
    organizationLabels === undefined ? [environment] : [],
  );
  const doubtful = new Set(neighbourhoods.flatMap((each) => [...(each.doubtful ?? [])]));
  const inheritance = inheritanceNetwork(sharing);
  return {
    inheritance,
    faultOf: (orgId) => {
      const unverified = inheritance.get(orgId)?.unverified.map((source) => source.orgId) ?? [];
      if (unverified.some((source) => doubtful.has(source))) return sharingUnknown(['their labels']);
      return unverified.some((source) => !sharing.has(source)) && blind.length > 0 ? sharingUnknown(blind) : undefined;
    },
  };
}

/** Whether some of these organizations inherit from one that is not among them. */
export function namesStrangers(
  organizations: ReadonlyMap<string, Labels>,
  served: readonly string[],
  reading: Reading,
): boolean {
  return served.some((orgId) => {
    const labels = organizations.get(orgId);
    if (labels?.[organizationKey('inherit')] === undefined) return false;
    return parseOrganizationLabels(labels, reading).inherit.some((source) => !organizations.has(source));
  });
}

function shares(labels: Labels): boolean {
  return labels[organizationKey('inherit')] !== undefined || labels[organizationKey('publish')] !== undefined;
}

function sharingUnknown(missing: readonly string[]): Fault {
  return {
    code: 'INHERITANCE_UNKNOWN',
    message: `unknown whether its sources publish their history: cannot read ${missing.join(', ')}`,
    hint: 'fix the other errors; the organization waits until then',
  };
}
