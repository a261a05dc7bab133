/** The records of a world. Times are milliseconds since 1970. Records are replaced, never changed. */

export type Health = 'healthy' | 'unhealthy' | 'unknown';
export const HEALTH_STATES: readonly Health[] = ['healthy', 'unhealthy', 'unknown'];

export const CLUSTER_STATES = [
  'error',
  'hibernating',
  'installing',
  'pending',
  'powering_down',
  'ready',
  'resuming',
  'uninstalling',
  'unknown',
  'updating',
  'validating',
  'waiting',
] as const;
export type ClusterState = (typeof CLUSTER_STATES)[number];

export const SUBSCRIPTION_STATUSES = [
  'Active',
  'Archived',
  'Deprovisioned',
  'Disconnected',
  'Reserved',
  'Stale',
] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

export const SEVERITIES = [
  'Debug',
  'Info',
  'Warning',
  'Error',
  'Fatal',
  'Major',
  'Critical',
  'Low',
  'Moderate',
  'Important',
] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface Capability {
  readonly name: string;
  readonly value: string;
}

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly externalId: string;
  readonly ebsAccountId: string;
  readonly capabilities: readonly Capability[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Subscription {
  readonly id: string;
  readonly organizationId: string;
  readonly clusterId: string;
  readonly externalClusterId: string;
  readonly displayName: string;
  readonly status: SubscriptionStatus;
  readonly managed: boolean;
  readonly planId: string;
  readonly capabilities: readonly Capability[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Cluster {
  readonly id: string;
  readonly externalId: string;
  readonly name: string;
  readonly displayName: string;
  readonly organizationId: string;
  readonly subscriptionId: string;
  readonly product: 'osd' | 'rosa';
  readonly hypershift: boolean;
  readonly sts: boolean;
  readonly managed: boolean;
  readonly version: string;
  readonly channel: string;
  readonly cloudProvider: string;
  readonly region: string;
  readonly multiAz: boolean;
  readonly computeNodes: number;
  readonly properties: Readonly<Record<string, string>>;
  readonly state: ClusterState;
  readonly health: Health;
  /** Until then a hosted control plane rejects another update. */
  readonly settledAt: number;
  readonly createdAt: number;
}

/** Its id is unique in the world: `cluster/name`. */
export interface NodePool {
  readonly id: string;
  readonly name: string;
  readonly clusterId: string;
  readonly version: string;
  readonly replicas: number;
  readonly createdAt: number;
}

export type OwnerType = 'Organization' | 'Subscription';

export interface Owner {
  readonly type: OwnerType;
  readonly id: string;
}

export interface Label {
  readonly id: string;
  readonly owner: Owner;
  readonly key: string;
  readonly value: string;
  readonly internal: boolean;
  readonly managedBy: 'User' | 'Config';
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type PolicyKind = 'cluster' | 'control_plane' | 'node_pool';
export type PolicyState = 'pending' | 'scheduled' | 'started' | 'delayed' | 'completed' | 'failed' | 'cancelled';
export type UpgradeType = 'OSD' | 'ControlPlane' | 'ControlPlaneCVE' | 'NodePool';

/** What an upgrade policy is for; a node pool has policies of its own. */
export interface PolicyTarget {
  readonly kind: PolicyKind;
  readonly clusterId: string;
  readonly nodePool?: string;
}

export interface Policy {
  readonly id: string;
  /** The target as text: each has at most one active policy. */
  readonly slot: string;
  readonly target: PolicyTarget;
  readonly upgradeType: UpgradeType;
  readonly scheduleType: 'manual' | 'automatic';
  /** Cron of an automatic policy. */
  readonly schedule: string | undefined;
  /** Empty while an automatic policy is up to date. */
  readonly version: string;
  readonly nextRun: number;
  readonly minorUpgrades: boolean;
  readonly state: PolicyState;
  readonly description: string;
  /** When it entered its state. */
  readonly since: number;
  readonly timeline: PolicyTimeline;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** How an upgrade will proceed, drawn when it is planned. Durations in milliseconds. */
export interface PolicyTimeline {
  /** From creation until it is scheduled. */
  readonly scheduleAfter: number;
  /** From `next_run` until it starts. */
  readonly startAfter: number;
  /** From start until it is delayed; absent without a delay. */
  readonly delayAfter?: number;
  /** From start until the end. */
  readonly endAfter: number;
  readonly outcome: 'completed' | 'failed';
  /** From the end until it disappears. */
  readonly visibleFor: number;
}

export interface Gate {
  readonly id: string;
  readonly versionPrefix: string;
  readonly label: string;
  readonly value: string;
  readonly stsOnly: boolean;
  /** A search over the fields of a cluster; absent: every cluster. */
  readonly clusterCondition: string | undefined;
  readonly description: string;
  readonly warning: string;
  readonly documentation: string;
  readonly createdAt: number;
}

export interface Agreement {
  readonly id: string;
  readonly clusterId: string;
  readonly gateId: string;
  readonly createdAt: number;
  /** Effective from then on. */
  readonly effectiveAt: number;
}

export interface ServiceLog {
  readonly id: string;
  readonly clusterId: string;
  readonly clusterUuid: string;
  readonly subscriptionId: string;
  readonly organizationId: string;
  readonly serviceName: string;
  readonly severity: Severity;
  readonly summary: string;
  readonly description: string;
  readonly logType: string;
  readonly internalOnly: boolean;
  readonly username: string;
  readonly docReferences: readonly string[];
  readonly createdAt: number;
  readonly timestamp: number;
}

/** The caller. A service sees all organizations and internal labels; others only their own organization. */
export interface Account {
  readonly id: string;
  readonly username: string;
  readonly role: 'service' | 'admin' | 'viewer';
  readonly organizationId: string | undefined;
}
