import type { Outcomes, Timing } from '../fleet/shape.ts';
import type {
  Account,
  Agreement,
  Cluster,
  Gate,
  Label,
  NodePool,
  Organization,
  Owner,
  Policy,
  PolicyTarget,
  ServiceLog,
  Subscription,
} from '../model.ts';
import type { RandomStream } from '../random.ts';
import type { VersionGraph } from '../version-graph.ts';
import { Table } from './table.ts';

/** The state of one OCM environment. */
export interface State {
  readonly organizations: Table<Organization>;
  readonly subscriptions: Table<Subscription, 'organization'>;
  readonly clusters: Table<Cluster, 'subscription' | 'uuid' | 'organization' | 'name'>;
  readonly nodePools: Table<NodePool, 'cluster'>;
  readonly labels: Table<Label, 'owner' | 'type'>;
  readonly policies: Table<Policy, 'slot' | 'cluster'>;
  readonly gates: Table<Gate>;
  readonly agreements: Table<Agreement, 'cluster'>;
  readonly logs: Table<ServiceLog, 'uuid'>;
}

export function emptyState(): State {
  return {
    organizations: new Table({}),
    subscriptions: new Table({ organization: ({ organizationId }) => organizationId }),
    clusters: new Table({
      subscription: ({ subscriptionId }) => subscriptionId,
      uuid: ({ externalId }) => externalId,
      organization: ({ organizationId }) => organizationId,
      name: ({ name }) => name,
    }),
    nodePools: new Table({ cluster: ({ clusterId }) => clusterId }),
    labels: new Table({ owner: ({ owner }) => ownerKey(owner), type: ({ owner }) => owner.type }),
    policies: new Table({ slot: ({ slot }) => slot, cluster: ({ target }) => target.clusterId }),
    gates: new Table({}),
    agreements: new Table({ cluster: ({ clusterId }) => clusterId }),
    logs: new Table({ uuid: ({ clusterUuid }) => clusterUuid }),
  };
}

export function stateAsOf(state: State, moment: number): State {
  return {
    organizations: state.organizations.asOf(moment),
    subscriptions: state.subscriptions.asOf(moment),
    clusters: state.clusters.asOf(moment),
    nodePools: state.nodePools.asOf(moment),
    labels: state.labels.asOf(moment),
    policies: state.policies.asOf(moment),
    gates: state.gates.asOf(moment),
    agreements: state.agreements.asOf(moment),
    logs: state.logs.asOf(moment),
  };
}

/** Increases with every change. */
export function revisionOf(state: State): number {
  return Object.values(state).reduce((sum: number, table: { readonly revision: number }) => sum + table.revision, 0);
}

export function ownerKey({ type, id }: Owner): string {
  return `${type}/${id}`;
}

export function slotOf({ kind, clusterId, nodePool }: PolicyTarget): string {
  return nodePool === undefined ? `${kind}/${clusterId}` : `${kind}/${clusterId}/${nodePool}`;
}

export function nodePoolId(clusterId: string, name: string): string {
  return `${clusterId}/${name}`;
}

/** What a reader sees: the state at a moment, limited by the caller's permissions. */
export interface View {
  readonly state: State;
  readonly now: number;
  readonly graph: VersionGraph;
  readonly caller: Account;
  readonly limits: Limits;
  /** Shuffles rows when no order is requested. */
  readonly shuffle: RandomStream;
  /** Cached results until something changes; absent for earlier moments. */
  readonly answers?: Map<string, unknown>;
}

/** What a writer needs in addition. */
export interface Workshop extends View {
  readonly seed: number;
  readonly timing: Timing;
  readonly outcomes: Outcomes;
  /** An unused key for a new id. */
  readonly freshKey: (kind: string) => string;
  /** Schedules the next step of a policy. */
  readonly wake: (policyId: string, at: number) => void;
}

export interface Limits {
  /** The most items of a page, whatever is requested. */
  readonly pageSize: number;
  /** Bytes of a label's value. */
  readonly labelValue: number;
  /** Whether a label's value may be empty. */
  readonly emptyLabelValues: boolean;
}

export const DEFAULT_LIMITS: Limits = { pageSize: 65_500, labelValue: 4_096, emptyLabelValues: true };

export function seesAll(caller: Account): boolean {
  return caller.role === 'service';
}

export function seesOrganization(caller: Account, organizationId: string): boolean {
  return seesAll(caller) || caller.organizationId === organizationId;
}
