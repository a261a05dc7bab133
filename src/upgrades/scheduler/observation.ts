import { defined, mapLimited, messageOf } from '../../base/index.ts';
import { type Instant, instantOf } from '../../gates/index.ts';
import { applicableGates, gatesByMinor } from '../engine/context.ts';
import {
  type ClusterState,
  nextChannel,
  type OrgFacts,
  orgFacts,
  type Surroundings,
  type VersionGate,
} from '../engine/facts.ts';
import { isVersion, minorOf, type Version } from '../engine/versions.ts';
import type { OrgSpec } from '../policies/org-spec.ts';
import type { DiscoveredCluster } from './discovery.ts';
import type { ClusterDetails, OrganizationMemory, SitePass } from './memory.ts';
import {
  about,
  type Fault,
  faultOf,
  type HealthCheck,
  type HealthProvider,
  isGone,
  type PolicyRow,
  type ServedOrganization,
  type Unread,
  type UpgradeApi,
  type UpgradeTarget,
} from './ports.ts';
import { policiesWith } from './reservations.ts';
import type { OrganizationState } from './state.ts';

type Id = ClusterState['id'];

/** A cluster as the fleet-wide lists show it. */
export interface ListedCluster extends Omit<ClusterState, 'nodePools' | 'availableChannels'> {
  readonly versionId: string;
  /** `osd`, `rosa` */
  readonly product: string;
  readonly hypershift: boolean;
}

interface ObservationParts {
  readonly pass: SitePass;
  readonly memory: OrganizationMemory;
  /** With the credentials of the organization. */
  readonly api: UpgradeApi;
  readonly spec: OrgSpec;
  readonly clusters: readonly ListedCluster[];
  /** Idle clusters are not read again within this time. */
  readonly resync: number;
  readonly now: () => Instant;
  readonly signal: AbortSignal;
}

/** Clusters of one organization that are read in parallel. */
const CLUSTERS_AT_ONCE = 8;

/** What is known of one organization's clusters in one pass, and what was read for it. */
export class OrganizationObservation {
  readonly #parts: ObservationParts;
  readonly #byId: ReadonlyMap<Id, ListedCluster>;
  readonly #policiesRead = new Set<Id>();
  readonly #agreementsRead = new Set<Id>();
  readonly #channels = new Map<string, readonly string[]>();
  readonly #faults = new Map<string, Fault>();

  constructor(parts: ObservationParts) {
    this.#parts = parts;
    this.#byId = new Map(parts.clusters.map((cluster) => [cluster.id, cluster]));
  }

  get faults(): Fault[] {
    return [...this.#faults.values()];
  }

  details(): ReadonlyMap<string, ClusterDetails> {
    return this.#parts.memory.details;
  }

  /** Clusters that are or may be busy: being upgraded, expected to be, never read, or not read for long. */
  mayBeBusy(state: OrganizationState): Id[] {
    const now = this.#parts.now();
    const reserved = new Set<string>(state.reservations.map(({ clusterId }) => clusterId));
    return [...this.#byId.keys()].filter((id) => {
      const known = this.details().get(id);
      if (known === undefined || reserved.has(id) || known.policies.length > 0) return true;
      const age = now - known.readAt;
      return age < 0 || age >= this.#parts.resync;
    });
  }

  /** Those not read in this pass yet. */
  unreadPolicies(ids: Iterable<Id>): Id[] {
    return [...new Set(ids)].filter((id) => this.#byId.has(id) && !this.#policiesRead.has(id));
  }

  unreadAgreements(ids: Iterable<Id>): Id[] {
    return [...new Set(ids)].filter((id) => this.#byId.has(id) && !this.#agreementsRead.has(id));
  }

  async readPolicies(ids: readonly Id[]): Promise<void> {
    const { api, now, signal, memory } = this.#parts;
    await this.#each(ids, signal, async (cluster) => {
      const before = memory.details.get(cluster.id);
      const details = await readDetails(api, cluster, now());
      memory.details.set(cluster.id, details);
      this.#policiesRead.add(cluster.id);
      const isExpected = details.gone === true && before?.gone !== true;
      if (details.fault !== undefined && !isExpected) this.#note(cluster, unreadablePolicies(details.fault));
    });
  }

  /** An unreadable agreement counts as missing: the cluster waits. */
  async readAgreements(ids: readonly Id[]): Promise<void> {
    const { api, now, signal, memory } = this.#parts;
    await this.#each(ids, signal, async (cluster) => {
      this.#agreementsRead.add(cluster.id);
      try {
        const { items } = await api.listAgreements(cluster.id);
        memory.agreements.set(cluster.id, { readAt: now(), value: new Set(items) });
      } catch (thrown) {
        if (!isGone(thrown)) this.#note(cluster, faultOf(thrown));
      }
    });
  }

  /** Channels that clusters could switch to. An unreadable one is not offered. */
  async readChannels(): Promise<void> {
    const { pass, signal } = this.#parts;
    const moving = this.#parts.clusters.filter(({ channel }) => nextChannel(channel) !== undefined);
    const oneEach = new Map(moving.map((cluster) => [cluster.versionId, cluster.id]));
    await this.#each([...oneEach.values()], signal, async (cluster) => {
      try {
        this.#channels.set(cluster.versionId, await pass.channels(cluster.versionId, cluster.id));
      } catch (thrown) {
        if (!isGone(thrown)) this.#note(cluster, faultOf(thrown));
      }
    });
  }

  /** Whether some cluster could move to a later minor, so that version gates matter. */
  leavesMinor(): boolean {
    return this.#parts.clusters.some(({ version, availableUpgrades }) =>
      availableUpgrades.some((candidate) => minorOf(candidate as Version) !== minorOf(version)),
    );
  }

  /** Clusters below a minor with a gate for them, whatever they are offered now, without a recent read of their agreements. */
  meetGates(gates: readonly VersionGate[]): Id[] {
    const byMinor = gatesByMinor(gates);
    const known = this.#agreements(this.#parts.now());
    const meets = (cluster: ListedCluster): boolean =>
      byMinor.keys().some((minor) => applicableGates(cluster, minor, byMinor).length > 0);
    return this.#parts.clusters.filter((cluster) => !known.has(cluster.id) && meets(cluster)).map(({ id }) => id);
  }

  facts(state: OrganizationState, around: Pick<Surroundings, 'gates' | 'inherited'>, now: Instant): OrgFacts {
    const { spec, clusters } = this.#parts;
    const shown = clusters.flatMap(({ id }) => this.details().get(id)?.policies ?? []);
    return orgFacts(
      spec,
      clusters.map((cluster) => this.#stateOf(cluster)),
      {
        ...around,
        policies: policiesWith(shown, state.reservations, now),
        agreements: this.#agreements(now),
        ledger: state.ledger,
      },
    );
  }

  #stateOf({ versionId, product: _, hypershift: __, ...cluster }: ListedCluster): ClusterState {
    const nodePools = cluster.hosted ? (this.details().get(cluster.id)?.nodePools ?? []) : [];
    return { ...cluster, nodePools, availableChannels: this.#channels.get(versionId) ?? [] };
  }

  #agreements(now: Instant): Map<Id, ReadonlySet<string>> {
    const { memory, clusters, resync } = this.#parts;
    return new Map(
      clusters.flatMap(({ id }) => {
        const known = memory.agreements.get(id);
        const isRecent = known !== undefined && (this.#agreementsRead.has(id) || now - known.readAt < resync);
        return isRecent ? [[id, known.value] as const] : [];
      }),
    );
  }

  async #each(ids: readonly Id[], signal: AbortSignal, act: (cluster: ListedCluster) => Promise<void>): Promise<void> {
    const clusters = ids.flatMap((id) => this.#byId.get(id) ?? []);
    await mapLimited(clusters, CLUSTERS_AT_ONCE, act, signal);
  }

  #note({ name }: ListedCluster, fault: Fault): void {
    this.#faults.set(JSON.stringify([name, fault.code]), about(`cluster ${name}`, fault));
  }
}

function unreadablePolicies(why: string): Fault {
  return {
    code: 'POLICIES_UNREADABLE',
    message: `cannot read its upgrade policies, so it counts as busy: ${why}`,
    hint: 'check the OCM response; the next pass reads it again',
  };
}

type Cluster = Pick<ClusterState, 'id' | 'hosted'>;

const NODE_POOLS_AT_ONCE = 4;

/**
 * Upgrade policies of a cluster, and its node pools where the control plane is hosted. Never throws: a cluster whose
 * policies cannot all be read gets a placeholder policy, and so counts as busy.
 */
async function readDetails(api: UpgradeApi, cluster: Cluster, now: Instant): Promise<ClusterDetails> {
  try {
    return cluster.hosted ? await readHosted(api, cluster, now) : await readClassic(api, cluster, now);
  } catch (thrown) {
    const details = unreadable(cluster, now, messageOf(thrown));
    return isGone(thrown) ? { ...details, gone: true } : details;
  }
}

async function readClassic(api: UpgradeApi, cluster: Cluster, readAt: Instant): Promise<ClusterDetails> {
  const { policies, problems } = await readPolicies(api, { kind: 'cluster', clusterId: cluster.id });
  return withProblems({ readAt, nodePools: [], policies }, cluster, problems);
}

async function readHosted(api: UpgradeApi, cluster: Cluster, readAt: Instant): Promise<ClusterDetails> {
  const { id: clusterId } = cluster;
  const pools = await api.listNodePools(clusterId);
  const targets: UpgradeTarget[] = [
    { kind: 'control_plane', clusterId },
    ...pools.items.map(({ id }) => ({ kind: 'node_pool', clusterId, nodePool: id }) as const),
  ];
  const lists = await mapLimited(targets, NODE_POOLS_AT_ONCE, (target) => readPolicies(api, target));
  const nodePools = pools.items.flatMap(({ id, version: { rawId } }) =>
    isVersion(rawId) ? [{ id, version: rawId }] : [],
  );
  const odd = nodePools.length < pools.items.length ? [{ message: 'a node pool has no version' }] : [];
  return withProblems({ readAt, nodePools, policies: lists.flatMap(({ policies }) => policies) }, cluster, [
    ...pools.problems,
    ...odd,
    ...lists.flatMap(({ problems }) => problems),
  ]);
}

interface ReadPolicies {
  readonly policies: ClusterDetails['policies'];
  readonly problems: readonly Unread[];
}

async function readPolicies(api: UpgradeApi, target: UpgradeTarget): Promise<ReadPolicies> {
  const { items, problems } = await api.listPolicies(target);
  return { policies: items.map((row) => policyOf(target, row)), problems };
}

/** An automatic policy may have no version yet; it may get one at any time. */
function policyOf({ kind, clusterId, nodePool }: UpgradeTarget, row: PolicyRow): ClusterDetails['policies'][number] {
  const nextRun = row.nextRun === undefined ? Number.NaN : Date.parse(row.nextRun);
  return {
    kind,
    clusterId: clusterId as ClusterState['id'],
    id: row.id,
    version: row.version ?? 'the next version',
    state: row.state?.value ?? 'in an unknown state',
    ...(Number.isNaN(nextRun) ? {} : { nextRun: instantOf(nextRun) }),
    ...defined({ nodePool }),
  };
}

function withProblems(
  details: ClusterDetails,
  cluster: Cluster,
  problems: readonly Pick<Unread, 'message'>[],
): ClusterDetails {
  const [first] = problems;
  if (first === undefined) return details;
  const { policies } = details.policies.length > 0 ? details : unreadable(cluster, details.readAt, first.message);
  return { ...details, policies, fault: first.message };
}

function unreadable(cluster: Cluster, readAt: Instant, why: string): ClusterDetails {
  const unknown = {
    kind: cluster.hosted ? 'control_plane' : 'cluster',
    clusterId: cluster.id,
    id: 'unreadable',
    version: 'an unknown version',
    state: 'possible: cannot read its upgrade policies',
  } as const;
  return { readAt, nodePools: [], policies: [unknown], fault: why };
}

/** What one check reports about one cluster, for metrics. */
interface HealthState {
  readonly uuid: string;
  readonly source: string;
  readonly healthy: boolean;
}

export interface Health {
  /** By UUID, failures of enforced checks. */
  readonly objections: ReadonlyMap<string, string>;
  readonly states: readonly HealthState[];
  readonly faults: readonly Fault[];
}

/** OCM's own health status; costs no further call. */
const OCM = 'ocm';

/**
 * Queries the checks of an organization. While an enforced check cannot be queried, no cluster counts as healthy: none earns
 * soak or is upgraded, and users are not notified, since the fault is not theirs.
 */
export async function readHealth(
  organization: ServedOrganization,
  clusters: readonly DiscoveredCluster[],
  providers: ReadonlyMap<string, HealthProvider>,
): Promise<Health> {
  const answers = await Promise.all(
    organization.healthChecks.map(async (check) => ({
      check,
      answer: await ask(check, organization, clusters, providers),
    })),
  );
  const uuids = clusters.map(({ row }) => row.externalId);
  const enforced = answers.filter(({ check }) => check.enforced);
  return {
    objections: new Map(enforced.flatMap(({ check, answer }) => objectionsOf(check, answer, uuids))),
    states: answers.flatMap(({ check, answer }) => statesOf(check, answer, uuids)),
    faults: answers.flatMap(({ answer }) => ('fault' in answer ? [answer.fault] : [])),
  };
}

function objectionsOf({ provider }: HealthCheck, answer: Answer, uuids: readonly string[]): [string, string][] {
  if ('unhealthy' in answer) return [...answer.unhealthy];
  return uuids.map((uuid) => [uuid, `the health check ${provider} could not be queried`]);
}

function statesOf({ provider }: HealthCheck, answer: Answer, uuids: readonly string[]): HealthState[] {
  if ('fault' in answer) return [];
  return uuids.map((uuid) => ({ uuid, source: provider, healthy: !answer.unhealthy.has(uuid) }));
}

type Answer = { readonly unhealthy: ReadonlyMap<string, string> } | { readonly fault: Fault };

async function ask(
  { provider: name }: HealthCheck,
  organization: ServedOrganization,
  clusters: readonly DiscoveredCluster[],
  providers: ReadonlyMap<string, HealthProvider>,
): Promise<Answer> {
  if (name === OCM) return { unhealthy: saidByOcm(clusters) };
  const provider = providers.get(name);
  if (provider === undefined) return { fault: noProvider(name) };
  try {
    return { unhealthy: await provider.unhealthy(organization) };
  } catch (thrown) {
    return { fault: about(`the health check ${name}`, faultOf(thrown)) };
  }
}

function saidByOcm(clusters: readonly DiscoveredCluster[]): ReadonlyMap<string, string> {
  const unhealthy = clusters.filter(({ row }) => row.healthState === 'unhealthy');
  return new Map(unhealthy.map(({ row }) => [row.externalId, 'OCM reports it unhealthy']));
}

function noProvider(name: string): Fault {
  return {
    code: 'HEALTH_PROVIDER_MISSING',
    message: `the health check ${name} is required, but not configured for the environment`,
    hint: 'configure it for the environment, or use ocm',
  };
}
