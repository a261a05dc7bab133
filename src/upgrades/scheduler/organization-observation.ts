import { mapLimited } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import { applicableGates, gatesByMinor } from '../engine/context.ts';
import {
  type ClusterState,
  nextChannel,
  type OrgFacts,
  orgFacts,
  type Surroundings,
  type VersionGate,
} from '../engine/facts.ts';
import { minorOf, type Version } from '../engine/versions.ts';
import type { OrgSpec } from '../policies/org-spec.ts';
import { readDetails } from './details.ts';
import { about, type Fault, faultOf, isGone } from './fault.ts';
import type { ClusterDetails, OrganizationMemory } from './memory.ts';
import { policiesWith } from './reservations.ts';
import type { SitePass } from './site-pass.ts';
import type { OrganizationState } from './state-document.ts';
import type { UpgradeApi } from './upgrade-api.ts';

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
