import { byText, defined, didYouMean, EchelonError } from '../../base/index.ts';
import { type Labels, PREFIX } from '../policies/label-keys.ts';
import type { ClusterRow } from '../scheduler/ports.ts';

/** A cluster of the organization, with its upgrade labels. */
export interface Member {
  readonly name: string;
  readonly subscriptionId: string;
  /** Absent when OCM has no valid cluster for the subscription, as during installation. */
  readonly cluster?: ClusterRow;
  readonly labels: Labels;
  /** Names and ids that identify it. */
  readonly calls: readonly string[];
}

const STATUSES = ['Active', 'Reserved'];

/** The organization of a command: the given one, else that of the login. */
export async function organizationId(api: PolicyApi, orgId: string | undefined): Promise<string> {
  if (orgId !== undefined) return orgId;
  const { organizationId: own, username } = await api.currentAccount();
  if (own !== undefined) return own;
  throw new EchelonError({
    code: 'ORGANIZATION_UNKNOWN',
    message: `the account ${username} belongs to no organization`,
    hint: 'pass one with --org-id',
  });
}

/** Upgrade labels of the organization, and no others. */
export async function organizationLabels(api: PolicyApi, id: string): Promise<Labels> {
  return labelsIn(complete(await api.listLabelsOf({ kind: 'organization', id }, PREFIX)));
}

/** Managed clusters of the organization, by name. */
export async function listMembers(api: PolicyApi, id: string): Promise<Member[]> {
  const subscriptions = complete(
    await api.listSubscriptions({ organizationId: id, managed: true, statuses: STATUSES, fetchLabels: true }),
  );
  const { items: clusters } = await api.listClusters({
    by: { field: 'subscription.id', values: subscriptions.map((each) => each.id) },
  });
  const bySubscription = new Map(clusters.map((cluster) => [cluster.subscriptionId, cluster]));
  return subscriptions
    .map(({ id: subscriptionId, displayName, labels, externalClusterId, clusterId }): Member => {
      const cluster = bySubscription.get(subscriptionId);
      const calls = [cluster?.name, displayName, clusterId, externalClusterId, subscriptionId];
      return {
        ...{ name: cluster?.name ?? displayName ?? subscriptionId, subscriptionId, labels: labelsIn(labels) },
        ...defined({ cluster }),
        calls: calls.filter((call) => call !== undefined),
      };
    })
    .sort((a, b) => byText(a.name, b.name));
}

/** The one cluster with a name or id. */
export function memberCalled(members: readonly Member[], name: string): Member {
  const found = members.filter(({ calls }) => calls.includes(name));
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  if (first === undefined) {
    const names = members.map((member) => member.name);
    throw new EchelonError({
      code: 'CLUSTER_UNKNOWN',
      message: `the organization has no managed cluster ${name}`,
      hint: didYouMean(name, names, 'check the name, and --org-id'),
    });
  }
  throw new EchelonError({
    code: 'CLUSTER_AMBIGUOUS',
    message: `${found.length} clusters are named ${name}: ${found.map(({ cluster, subscriptionId }) => cluster?.id ?? subscriptionId).join(', ')}`,
    hint: 'use its id; in a file its subscription_id',
  });
}

/** Writing, or reporting what is missing, requires a complete list. */
export function complete<T>({ items, problems }: PolicyList<T>): readonly T[] {
  const [problem] = problems;
  if (problem === undefined) return items;
  throw new EchelonError({
    code: 'OCM_LIST_INCOMPLETE',
    message: `${problem.endpoint} returned an incomplete list${problem.id === undefined ? '' : ` (${problem.id})`}: ${problem.message}`,
    hint: 'run it again; if it persists, report it to OCM support',
  });
}

function labelsIn(labels: readonly OwnedLabel[]): Labels {
  return Object.fromEntries(labels.filter(({ key }) => key.startsWith(PREFIX)).map(({ key, value }) => [key, value]));
}

/** A list from OCM, with its unreadable records. */
interface PolicyList<Row> {
  readonly items: readonly Row[];
  readonly problems: readonly {
    readonly endpoint: string;
    readonly id: string | undefined;
    readonly message: string;
  }[];
}

/** What labels belong to. */
export interface PolicyOwner {
  readonly kind: 'subscription' | 'organization';
  readonly id: string;
}

interface OwnedLabel {
  readonly key: string;
  readonly value: string;
  readonly organizationId: string | undefined;
}

interface MemberSubscription {
  readonly id: string;
  readonly clusterId: string | undefined;
  readonly externalClusterId: string | undefined;
  readonly displayName: string | undefined;
  readonly labels: readonly OwnedLabel[];
}

/** An upgrade that OCM has scheduled. */
export interface ScheduledUpgradeRow {
  readonly version: string | undefined;
  /** `manual` or `automatic`. */
  readonly scheduleType: string | undefined;
  readonly nextRun: string | undefined;
  readonly state: { readonly value: string } | undefined;
}

/** A version gate as OCM describes it to users. */
export interface DescribedGate {
  readonly id: string;
  /** `4.19` */
  readonly versionPrefix: string;
  readonly label: string;
  readonly stsOnly: boolean;
  readonly description: string | undefined;
  readonly documentationUrl: string | undefined;
}

type GateAgreement =
  | { readonly outcome: 'created' }
  | { readonly outcome: 'refused'; readonly refusal: { readonly reason: string } }
  | { readonly outcome: 'unconfirmed'; readonly reason: string };

interface ByIds<Field extends string> {
  readonly by: { readonly field: Field; readonly values: readonly string[] };
}

/** What reading and editing one organization's policies needs from OCM. */
export interface PolicyApi {
  currentAccount(): Promise<{ readonly username: string; readonly organizationId: string | undefined }>;
  listOrganizations(
    query: ByIds<'id'>,
  ): Promise<PolicyList<{ readonly id: string; readonly name: string | undefined }>>;
  listLabels(
    query: ByIds<'organization_id'> & { readonly keyPrefix: string; readonly type: 'Organization' },
  ): Promise<PolicyList<OwnedLabel>>;
  listLabelsOf(owner: PolicyOwner, keyPrefix: string): Promise<PolicyList<OwnedLabel>>;
  listSubscriptions(query: {
    readonly organizationId: string;
    readonly managed: true;
    readonly statuses: readonly string[];
    readonly fetchLabels: true;
  }): Promise<PolicyList<MemberSubscription>>;
  listClusters(query: ByIds<'subscription.id'>): Promise<PolicyList<ClusterRow>>;
  listUpgradePolicies(target: {
    readonly kind: 'classic' | 'control-plane';
    readonly clusterId: string;
  }): Promise<PolicyList<ScheduledUpgradeRow>>;
  /** All, or those of these minor versions. */
  listVersionGates(minors?: readonly string[]): Promise<PolicyList<DescribedGate>>;
  listGateAgreements(clusterId: string): Promise<PolicyList<{ readonly gateId: string }>>;
  createGateAgreement(clusterId: string, gateId: string): Promise<GateAgreement>;
  createLabel(owner: PolicyOwner, label: { readonly key: string; readonly value: string }): Promise<void>;
  updateLabel(owner: PolicyOwner, label: { readonly key: string; readonly value: string }): Promise<void>;
  deleteLabel(owner: PolicyOwner, key: string): Promise<unknown>;
}
