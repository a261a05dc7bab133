import type {
  Account,
  Capability,
  ClusterState,
  Gate,
  Health,
  NodePool,
  OwnerType,
  SubscriptionStatus,
} from '../model.ts';
import type { Release } from '../version-graph.ts';
import type { Outcomes, Timing } from './shape.ts';

/** A fully expanded fleet. Times are milliseconds since 1970. */
export interface FleetFile {
  readonly start: number;
  readonly timing: Timing;
  readonly outcomes: Outcomes;
  readonly releases: readonly Release[];
  readonly gates: readonly Gate[];
  readonly environments: readonly FleetEnvironment[];
}

export interface FleetEnvironment {
  readonly name: string;
  readonly accounts: readonly FleetAccount[];
  readonly organizations: readonly FleetOrganization[];
  readonly events: readonly FleetEvent[];
}

/** An account with client credentials or an offline token. */
export interface FleetAccount extends Account {
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly offlineToken?: string;
}

export interface FleetOrganization {
  readonly id: string;
  readonly name: string;
  readonly externalId: string;
  readonly ebsAccountId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly capabilities: readonly Capability[];
  readonly createdAt: number;
  readonly clusters: readonly FleetCluster[];
}

export interface FleetCluster {
  readonly name: string;
  readonly displayName: string;
  readonly id: string;
  readonly uuid: string;
  readonly subscriptionId: string;
  readonly product: 'osd' | 'rosa';
  readonly hosted: boolean;
  readonly sts: boolean;
  readonly managed: boolean;
  readonly version: string;
  readonly channel: string;
  readonly cloud: string;
  readonly region: string;
  readonly multiAz: boolean;
  readonly nodes: number;
  readonly state: ClusterState;
  readonly health: Health;
  readonly status: SubscriptionStatus;
  readonly createdAt: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly capabilities: readonly Capability[];
  readonly properties: Readonly<Record<string, string>>;
  readonly nodePools: readonly Pick<NodePool, 'name' | 'version' | 'replicas'>[];
  /** A policy that exists from the beginning. */
  readonly policy?: FleetPolicy;
}

export type FleetPolicy =
  | { readonly version: string; readonly nextRun: number }
  | { readonly schedule: string; readonly minorUpgrades: boolean };

/** A change of one cluster or organization; a null label is removed. */
export interface FleetChange {
  readonly owner: { readonly type: OwnerType | 'Cluster'; readonly id: string };
  readonly health?: Health;
  readonly state?: ClusterState;
  readonly status?: SubscriptionStatus;
  readonly labels?: Readonly<Record<string, string | null>>;
  readonly remove?: true;
}

export interface FleetEvent extends FleetChange {
  readonly at: number;
}

/** The prefix of the labels of the upgrade service. */
export const AUS_PREFIX = 'sre-capabilities.aus.';
