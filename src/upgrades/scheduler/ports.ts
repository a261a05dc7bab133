import { EchelonError, messageOf } from '../../base/index.ts';
import type { OrgId } from '../../instance/index.ts';
import type { DeclaredPolicies } from '../policies/organization-file.ts';

/** An unreadable record. */
export interface Unread {
  readonly id: string | undefined;
  /** Its readable fields, by OCM name: `subscription_id`, `version.raw_id`. */
  readonly known: Readonly<Record<string, string>>;
  readonly message: string;
}

export interface Listed<Row> {
  readonly items: readonly Row[];
  readonly problems: readonly Unread[];
}

export interface LabelRow {
  readonly key: string;
  readonly value: string;
  /** The owner: one of the two for the labels that matter here. */
  readonly subscriptionId: string | undefined;
  readonly organizationId: string | undefined;
}

export interface SubscriptionRow {
  readonly id: string;
  readonly organizationId: string;
}

export interface ClusterRow {
  readonly id: string;
  /** The UUID; absent before it is installed. */
  readonly externalId: string | undefined;
  readonly name: string;
  readonly state: string;
  readonly subscriptionId: string | undefined;
  /** `osd`, `rosa` */
  readonly productId: string | undefined;
  readonly version: {
    readonly id: string | undefined;
    readonly rawId: string;
    readonly channelGroup: string | undefined;
    readonly availableUpgrades: readonly string[];
  };
  /** `stable-4.16` */
  readonly channel: string | undefined;
  readonly hypershift: boolean;
  readonly sts: boolean;
  /** `healthy`, `unhealthy`, `unknown` */
  readonly healthState: string | undefined;
  readonly createdAt: string | undefined;
}

interface NodePoolRow {
  readonly id: string;
  readonly version: { readonly rawId: string };
}

interface GateRow {
  readonly id: string;
  readonly versionPrefix: string;
  readonly label: string;
}

/** What has upgrade policies of its own. */
export interface UpgradeTarget {
  readonly kind: 'cluster' | 'control_plane' | 'node_pool';
  readonly clusterId: string;
  readonly nodePool?: string;
}

export interface PolicyRow {
  readonly id: string;
  readonly version: string | undefined;
  readonly scheduleType: string | undefined;
  readonly nextRun: string | undefined;
  readonly state: { readonly value: string } | undefined;
}

/** The result of creating an upgrade policy. */
export type PolicyCreation =
  | { readonly outcome: 'created'; readonly id: string }
  /** Nothing was created. The ids are those of gates without an agreement, if that is the reason. */
  | { readonly outcome: 'refused'; readonly reason: string; readonly missingGates: readonly string[] }
  /** It may exist or still appear. */
  | { readonly outcome: 'unconfirmed'; readonly reason: string };

/** The result of agreeing to a version gate. */
type AgreementCreation =
  | { readonly outcome: 'agreed' }
  | { readonly outcome: 'refused'; readonly reason: string }
  /** It may exist or still appear. */
  | { readonly outcome: 'unconfirmed'; readonly reason: string };

type PolicyDeletion =
  | { readonly outcome: 'deleted' | 'absent' }
  | { readonly outcome: 'refused'; readonly reason: string };

interface ServiceLogRow {
  readonly description: string | undefined;
  /** ISO 8601. */
  readonly createdAt: string | undefined;
}

interface ServiceLogInput {
  readonly clusterUuid: string;
  readonly serviceName: string;
  readonly severity: 'Moderate';
  readonly summary: string;
  readonly description: string;
}

/**
 * What the scheduler needs from one OCM. An exception concerns that call only; its code is `OCM_NOT_FOUND` where the
 * cluster no longer exists. For a dry run, an implementation refuses
 * every write.
 */
export interface UpgradeApi {
  /** Of all owners; of two with the same key and owner the later one counts. */
  listLabels(keyPrefix: string): Promise<Listed<LabelRow>>;
  /** Those of the ids that are managed, and active or reserved. */
  listSubscriptions(ids: readonly string[]): Promise<Listed<SubscriptionRow>>;
  /** The same for whole organizations. */
  listOrganizationSubscriptions(organizationIds: readonly string[]): Promise<Listed<SubscriptionRow>>;
  /** Managed OSD and ROSA clusters, whatever state they are in. */
  listClusters(subscriptionIds: readonly string[]): Promise<Listed<ClusterRow>>;
  /** Names by id; unknown ids are left out. */
  organizationNames(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  listVersionGates(): Promise<Listed<GateRow>>;
  /** In the order of the API. */
  listNodePools(clusterId: string): Promise<Listed<NodePoolRow>>;
  listPolicies(target: UpgradeTarget): Promise<Listed<PolicyRow>>;
  /** Ids of the gates with an agreement. */
  listAgreements(clusterId: string): Promise<Listed<string>>;
  /** If it throws, nothing was created. */
  agreeToGate(clusterId: string, gateId: string): Promise<AgreementCreation>;
  /** Channels that the version of the cluster is in. */
  availableChannels(clusterId: string): Promise<readonly string[]>;
  /** A manual policy; `nextRun` in ISO 8601. If it throws, nothing was created. */
  createPolicy(
    target: UpgradeTarget,
    policy: { readonly version: string; readonly nextRun: string },
  ): Promise<PolicyCreation>;
  deletePolicy(target: UpgradeTarget, id: string): Promise<PolicyDeletion>;
  switchChannel(clusterId: string, channel: string): Promise<void>;
  /** Service logs for a cluster since then, whatever their severity. */
  listServiceLogs(clusterUuid: string, serviceName: string, since: string): Promise<Listed<ServiceLogRow>>;
  /** Also returns when delivery is uncertain, so that a log is not sent twice. */
  createServiceLog(log: ServiceLogInput): Promise<void>;
}

export interface HealthCheck {
  /** `ocm`, or a provider of the site such as `telemeter`. */
  readonly provider: string;
  /** A cluster that fails it earns no soak and is not upgraded; otherwise it is only reported. */
  readonly enforced: boolean;
}

/** An organization that may be served. */
export interface ServedOrganization {
  readonly orgId: OrgId;
  /** Absent where only OCM has it. */
  readonly name?: string;
  readonly healthChecks: readonly HealthCheck[];
  /** With its own credentials; its site's when absent. */
  readonly connect?: () => Promise<UpgradeApi>;
}

/** Reports which clusters of an organization are unhealthy. */
export interface HealthProvider {
  /** Problems by UUID; an absent cluster is healthy. */
  unhealthy(organization: Pick<ServedOrganization, 'orgId'>): Promise<ReadonlyMap<string, string>>;
}

/** One OCM, and which organizations to serve there. */
export interface Site {
  /** Of the environment; part of the keys of its histories. */
  readonly name: string;
  /** Called in every pass. */
  connect(): Promise<UpgradeApi>;
  /** Undefined for an organization that is not allowed: its clusters are never read. */
  serves(orgId: string): ServedOrganization | undefined;
  readonly health: ReadonlyMap<string, HealthProvider>;
  /** Policies declared in files; OCM labels apply when absent. */
  readonly declared?: DeclaredPolicies;
}

/** Which organizations a process serves: allowed, not denied. Denial wins. */
export interface Selection {
  readonly only?: readonly string[];
  readonly except?: readonly string[];
}

export function isSelected({ only = [], except = [] }: Selection, orgId: string): boolean {
  return (only.length === 0 || only.includes(orgId)) && !except.includes(orgId);
}

/** An error of Echelon or OCM. For operators; users are never notified. */
export interface Fault {
  readonly code: string;
  /** Names the endpoint, the cluster or the key. */
  readonly message: string;
  readonly hint: string;
}

export function faultOf(thrown: unknown): Fault {
  if (thrown instanceof EchelonError) return { code: thrown.code, message: thrown.message, hint: thrown.hint };
  return {
    code: 'INTERNAL',
    message: messageOf(thrown),
    hint: 'this is a bug in Echelon: report it with the version of Echelon',
  };
}

/** OCM has it no more: it was deleted since it was listed. */
export function isGone(thrown: unknown): boolean {
  return thrown instanceof EchelonError && thrown.code === GONE;
}

/** The code of the error that an implementation of `UpgradeApi` throws for a 404. */
const GONE = 'OCM_NOT_FOUND';

/** The same fault, prefixed with its subject. */
export function about(what: string, fault: Fault): Fault {
  return { ...fault, message: `${what}: ${fault.message}` };
}
