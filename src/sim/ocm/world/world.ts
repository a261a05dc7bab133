import { EchelonError } from '../../../base/index.ts';
import {
  AUS_PREFIX,
  type FleetAccount,
  type FleetChange,
  type FleetCluster,
  type FleetEnvironment,
  type FleetFile,
} from '../fleet/fleet.ts';
import { ksuidOf } from '../ids.ts';
import type {
  Account,
  Cluster,
  ClusterState,
  Gate,
  Health,
  Owner,
  Policy,
  PolicyTarget,
  SubscriptionStatus,
} from '../model.ts';
import { randomOf } from '../random.ts';
import { type Release, VersionGraph } from '../version-graph.ts';
import { OcmCalls, OcmReads } from './calls.ts';
import { applyChange } from './fleet-changes.ts';
import { addPolicy } from './policies.ts';
import { automaticPlan, takeStep } from './policy-runs.ts';
import { addCluster, populate } from './populate.ts';
import { DEFAULT_LIMITS, emptyState, type Limits, type State, stateAsOf, type View, type Workshop } from './state.ts';
import { Timeline } from './timeline.ts';

interface WorldOptions {
  /** By name; the first of the fleet when absent. */
  readonly environment?: string;
  readonly limits?: Partial<Limits>;
}

type Occurrence = { readonly policy: string } | { readonly change: FleetChange };

/** A world of its own for one environment of a fleet. The same fleet and seed give the same world. */
export function createWorld(fleet: FleetFile, seed = 1, options: WorldOptions = {}): World {
  const environment = fleet.environments.find(({ name }) => name === (options.environment ?? name));
  if (environment === undefined) throw noEnvironment(fleet, options.environment ?? '');
  return new World(fleet, environment, seed, options.limits ?? {});
}

/** A world for every environment of a fleet, by name. */
export function createWorlds(fleet: FleetFile, seed = 1, limits: Partial<Limits> = {}): ReadonlyMap<string, World> {
  return new Map(fleet.environments.map(({ name }) => [name, createWorld(fleet, seed, { environment: name, limits })]));
}

/**
 * One OCM environment: its state, and how it evolves over time. It has no timers; its
 * owner advances it. Its own calls have all permissions.
 */
export class World extends OcmCalls {
  readonly environment: string;
  readonly accounts: readonly FleetAccount[];
  /** Read-only; change it through calls and `apply`. */
  readonly state: State = emptyState();
  readonly graph: VersionGraph;
  readonly #fleet: FleetFile;
  readonly #seed: number;
  readonly #limits: Limits;
  readonly #timeline = new Timeline<Occurrence>();
  readonly #answers = new Map<string, unknown>();
  readonly #shuffle;
  readonly #self: Account;
  #now: number;
  #keys = 0;

  constructor(fleet: FleetFile, environment: FleetEnvironment, seed: number, limits: Partial<Limits>) {
    super(() => this.#workshop(this.#self));
    this.environment = environment.name;
    this.accounts = environment.accounts;
    this.graph = new VersionGraph(fleet.releases);
    this.#fleet = fleet;
    this.#seed = seed;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.#now = fleet.start;
    this.#shuffle = randomOf(seed, 'order', environment.name);
    const organizationId = environment.organizations[0]?.id;
    this.#self = { id: ksuidOf('account/world', 0), username: 'world', role: 'service', organizationId };
    populate(this.state, fleet, environment);
    for (const { clusters } of environment.organizations) for (const cluster of clusters) this.#startPolicy(cluster);
    for (const { at, ...change } of environment.events) this.#timeline.add(at, { change });
  }

  now(): Date {
    return new Date(this.#now);
  }

  /** Processes everything that is due until then, in order. An earlier moment changes nothing. */
  advanceTo(moment: Date): void {
    const until = moment.getTime();
    if (Number.isNaN(until)) throw new RangeError('cannot advance to an invalid date');
    for (let due = this.#timeline.takeUntil(until); due !== undefined; due = this.#timeline.takeUntil(until)) {
      this.#now = Math.max(this.#now, due.at);
      if ('policy' in due.what) takeStep(this.view(), due.what.policy);
      else applyChange(this.view(), due.what.change);
    }
    this.#now = Math.max(this.#now, until);
  }

  /** The time of the next event; releases do not count. */
  nextChange(): Date | undefined {
    const at = this.#timeline.next();
    return at === undefined ? undefined : new Date(Math.max(at, this.#now));
  }

  /** The calls of an account, with its permissions. */
  as(account: Account): OcmCalls {
    return new OcmCalls(() => this.#workshop(account));
  }

  /** The state at an earlier moment, as far back as it is stored. */
  asOf(moment: Date, account: Account = this.#self): OcmReads {
    const at = moment.getTime();
    const state = stateAsOf(this.state, at);
    const { graph } = this;
    const view: View = { state, now: at, graph, caller: account, limits: this.#limits, shuffle: this.#shuffle };
    return new OcmReads(() => view);
  }

  /** The cluster with an id, an external id or a unique name. */
  cluster(reference: string): Cluster {
    const { clusters } = this.state;
    const byId = clusters.get(reference);
    const found = byId ? [byId] : [...clusters.by('uuid', reference), ...clusters.by('name', reference)];
    const [first, ...others] = found;
    if (first !== undefined && others.length === 0) return first;
    throw new EchelonError({
      code: 'SIM_CLUSTER_UNKNOWN',
      message: `${this.environment}: ${found.length === 0 ? 'no cluster is' : 'more than one cluster is'} named ${reference}`,
      hint: 'use the id of a cluster in this environment',
    });
  }

  /** Policies of a cluster: its own, of its control plane and of its node pools. */
  policiesOf(reference: string): readonly Policy[] {
    return this.state.policies.by('cluster', this.cluster(reference).id);
  }

  /** The policy target: a classic cluster, or a hosted control plane. */
  targetOf(reference: string): PolicyTarget {
    const { id, hypershift } = this.cluster(reference);
    return { kind: hypershift ? 'control_plane' : 'cluster', clusterId: id };
  }

  apply(change: FleetChange): void {
    applyChange(this.view(), change);
  }

  /** Sets a label; null removes it. */
  setLabel(owner: Owner, key: string, value: string | null): void {
    this.apply({ owner, labels: { [key]: value } });
  }

  /** Sets labels of a cluster's subscription, with keys without the prefix of the upgrade service. */
  setPolicyLabels(reference: string, labels: Readonly<Record<string, string | null>>): void {
    const id = this.cluster(reference).subscriptionId;
    for (const [key, value] of Object.entries(labels))
      this.setLabel({ type: 'Subscription', id }, AUS_PREFIX + key, value);
  }

  /** Blocks versions for an organization, by regular expressions; none unblocks all. */
  blockVersions(organizationId: string, patterns: readonly string[]): void {
    const value = patterns.length === 0 ? null : patterns.join(',');
    this.setLabel({ type: 'Organization', id: organizationId }, `${AUS_PREFIX}blocked-versions`, value);
  }

  setHealth(reference: string, health: Health): void {
    this.#toCluster(reference, { health });
  }

  setClusterState(reference: string, state: ClusterState): void {
    this.#toCluster(reference, { state });
  }

  setSubscriptionStatus(reference: string, status: SubscriptionStatus): void {
    this.#toCluster(reference, { status });
  }

  removeCluster(reference: string): void {
    this.#toCluster(reference, { remove: true });
  }

  addCluster(organizationId: string, cluster: FleetCluster): void {
    addCluster(this.state, organizationId, cluster, this.#now);
    this.#startPolicy(cluster);
  }

  addGate(gate: Gate): void {
    this.state.gates.put(gate, this.#now);
  }

  /** Makes a version available from now on, in these channel groups. */
  releaseVersion(
    version: string,
    groups: readonly string[] = ['stable', 'fast', 'candidate'],
    more: Partial<Release> = {},
  ): void {
    const offered = Object.fromEntries(groups.map((group) => [group, this.#now]));
    this.graph.add({ version, groups: offered, hosted: true, rosa: true, notFrom: [], ...more });
  }

  /** Withdraws a version. */
  withdrawVersion(version: string): void {
    const release = this.graph.get(version);
    if (release !== undefined) this.graph.add({ ...release, withdrawnAt: this.#now });
  }

  /** Clusters with a critical alert, as telemetry reports them. */
  unhealthyClusters(): Cluster[] {
    return [...this.state.clusters.all()].filter(({ health }) => health === 'unhealthy');
  }

  #toCluster(reference: string, change: Omit<FleetChange, 'owner'>): void {
    this.apply({ owner: { type: 'Cluster', id: this.cluster(reference).id }, ...change });
  }

  #startPolicy({ id, hosted, policy }: FleetCluster): void {
    if (policy === undefined) return;
    const shop = this.view();
    const target: PolicyTarget = { kind: hosted ? 'control_plane' : 'cluster', clusterId: id };
    const upgradeType = hosted ? 'ControlPlane' : 'OSD';
    if ('version' in policy) {
      const { version, nextRun } = policy;
      addPolicy(shop, target, {
        upgradeType,
        scheduleType: 'manual',
        schedule: undefined,
        version,
        nextRun,
        minorUpgrades: true,
      });
      return;
    }
    const { schedule, minorUpgrades } = policy;
    const plan = automaticPlan(shop, target, schedule, minorUpgrades);
    addPolicy(shop, target, { upgradeType, scheduleType: 'automatic', schedule, minorUpgrades, ...plan });
  }

  #workshop(caller: Account): Workshop {
    return {
      state: this.state,
      now: this.#now,
      graph: this.graph,
      caller,
      limits: this.#limits,
      shuffle: this.#shuffle,
      answers: this.#answers,
      seed: this.#seed,
      timing: this.#fleet.timing,
      outcomes: this.#fleet.outcomes,
      freshKey: (kind) => {
        this.#keys += 1;
        return `${this.environment}/${this.#seed}/${kind}/${this.#keys}`;
      },
      wake: (policy, at) => this.#timeline.add(at, { policy }),
    };
  }
}

function noEnvironment(fleet: FleetFile, name: string): EchelonError {
  return new EchelonError({
    code: 'SIM_ENVIRONMENT_UNKNOWN',
    message: `no environment ${name} in the fleet`,
    hint: `use one of: ${fleet.environments.map((environment) => environment.name).join(', ')}`,
  });
}
