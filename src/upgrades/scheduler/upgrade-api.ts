/** A record that could not be read, or, without anything known of it, rows of a list that may be missing. */
export interface Unread {
  readonly id: string | undefined;
  /** What else could be read of it, under the names that OCM gives: `subscription_id`, `version.raw_id`. */
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

export interface NodePoolRow {
  readonly id: string;
  readonly version: { readonly rawId: string };
}

export interface GateRow {
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

/** What came of asking for an upgrade policy. */
export type PolicyCreation =
  | { readonly outcome: 'created'; readonly id: string }
  /** Nothing was made. The ids are those of gates that nobody agreed to, where that is why. */
  | { readonly outcome: 'refused'; readonly reason: string; readonly missingGates: readonly string[] }
  /** It may exist or still appear. */
  | { readonly outcome: 'unconfirmed'; readonly reason: string };

/** What came of agreeing to a version gate. */
export type AgreementCreation =
  | { readonly outcome: 'agreed' }
  | { readonly outcome: 'refused'; readonly reason: string }
  /** It may exist or still appear. */
  | { readonly outcome: 'unconfirmed'; readonly reason: string };

export type PolicyDeletion =
  | { readonly outcome: 'deleted' | 'absent' }
  | { readonly outcome: 'refused'; readonly reason: string };

export interface ServiceLogRow {
  readonly description: string | undefined;
  /** ISO 8601. */
  readonly createdAt: string | undefined;
}

export interface ServiceLogInput {
  readonly clusterUuid: string;
  readonly serviceName: string;
  readonly severity: 'Error';
  readonly summary: string;
  readonly description: string;
}

/**
 * What the scheduler asks of one OCM. Whatever throws concerns that call only. Built for a dry run, an implementation
 * refuses everything that would change something.
 */
export interface UpgradeApi {
  /** Of all owners, in an order in which the later of two with one key and owner counts. */
  listLabels(keyPrefix: string): Promise<Listed<LabelRow>>;
  /** Those of the ids that are managed, and active or reserved. */
  listSubscriptions(ids: readonly string[]): Promise<Listed<SubscriptionRow>>;
  /** The same of whole organizations. */
  listOrganizationSubscriptions(organizationIds: readonly string[]): Promise<Listed<SubscriptionRow>>;
  /** Managed OSD and ROSA clusters, whatever state they are in. */
  listClusters(subscriptionIds: readonly string[]): Promise<Listed<ClusterRow>>;
  /** Names by id; one that is not known is not in it. */
  organizationNames(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  listVersionGates(): Promise<Listed<GateRow>>;
  /** In the order of the API. */
  listNodePools(clusterId: string): Promise<Listed<NodePoolRow>>;
  listPolicies(target: UpgradeTarget): Promise<Listed<PolicyRow>>;
  /** Ids of the gates that were agreed to. */
  listAgreements(clusterId: string): Promise<Listed<string>>;
  /** After a throw nothing was made. */
  agreeToGate(clusterId: string, gateId: string): Promise<AgreementCreation>;
  /** Channels that the version of the cluster is in. */
  availableChannels(clusterId: string): Promise<readonly string[]>;
  /** A manual policy; `nextRun` in ISO 8601. After a throw nothing was made. */
  createPolicy(
    target: UpgradeTarget,
    policy: { readonly version: string; readonly nextRun: string },
  ): Promise<PolicyCreation>;
  deletePolicy(target: UpgradeTarget, id: string): Promise<PolicyDeletion>;
  switchChannel(clusterId: string, channel: string): Promise<void>;
  /** What the service told the users of a cluster since then, at severity `Error`. */
  listServiceLogs(clusterUuid: string, serviceName: string, since: string): Promise<Listed<ServiceLogRow>>;
  /** Returns also when nobody knows whether it was sent: the same is not sent twice. */
  createServiceLog(log: ServiceLogInput): Promise<void>;
}
