import { defined } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import type { DiscoveredOrganization, Discovery, KnownOrganization } from './discover.ts';
import { about, type Fault, faultOf } from './fault.ts';
import { Findings } from './findings.ts';
import { byAge, type ClustersInView, clustersOf, isInView, type Placed } from './placed-clusters.ts';
import type { UpgradeApi } from './upgrade-api.ts';

/** An organization with its clusters. */
export interface SeenOrganization {
  readonly discovered: DiscoveredOrganization;
  /** Every cluster was still as shown after this. */
  readonly seenAt: Instant;
}

interface ReaderParts {
  readonly api: UpgradeApi;
  readonly discovery: Pick<Discovery, 'labelsOf' | 'forgetLabels'>;
  /** In the order in which they are going to be read. */
  readonly organizations: readonly KnownOrganization[];
  readonly view: ClustersInView;
  readonly now: () => Instant;
  readonly signal: AbortSignal;
}

/** Subscriptions whose clusters are read together: the pages of four searches. */
const SUBSCRIPTIONS_AT_ONCE = 400;

interface Batch {
  readonly seenAt: Instant;
  /** By organization, until it is taken. */
  readonly clusters: Map<string, Placed[]>;
  readonly findings: Findings;
}

type Listing = Batch | { readonly fault: Fault };

/**
 * Reads the clusters of one OCM as organizations take their turn, one batch ahead. A batch has clusters of several
 * organizations, so that a fleet of small ones needs no more pages than one list would. What was taken is let go, so that
 * memory grows with the largest organization, not with the fleet.
 */
export class ClusterReader {
  readonly #parts: ReaderParts;
  readonly #subscriptions: readonly (readonly [id: string, orgId: string])[];
  readonly #starts = new Map<string, number>();
  readonly #batches = new Map<number, Promise<Listing>>();
  #fault: Fault | undefined;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
    const all: (readonly [string, string])[] = [];
    for (const { orgId, subscriptions } of parts.organizations) {
      this.#starts.set(orgId, all.length);
      for (const id of subscriptions) all.push([id, orgId]);
    }
    this.#subscriptions = all;
  }

  /** Why clusters could not be listed. Organizations whose turn comes after it are not read. */
  get fault(): Fault | undefined {
    return this.#fault;
  }

  /** Undefined when it has no cluster in view, or when clusters could not be listed. Can be called once for each. */
  async read(known: KnownOrganization): Promise<SeenOrganization | undefined> {
    const { discovery, view, now } = this.#parts;
    const { orgId, labels, declared, subscriptions, names, isDoubtful } = known;
    const batches = await this.#batchesOf(known);
    if (batches === undefined) return undefined;
    const rows = batches.flatMap(({ clusters }) => clusters.get(orgId) ?? []);
    for (const { clusters } of batches) clusters.delete(orgId);
    const clusters = rows
      .filter(({ row }) => isInView(row, view) && names?.has(row.name) !== false)
      .sort((a, b) => byAge(a.row, b.row))
      .map(({ row, subscriptionId }) => ({ row, ...discovery.labelsOf(subscriptionId) }));
    discovery.forgetLabels(subscriptions);
    const faults = batches.flatMap(({ findings }) => findings.faultsOf(orgId));
    if (clusters.length + faults.length === 0 && !isDoubtful) return undefined;
    const seenAt = Math.min(now(), ...batches.map((batch) => batch.seenAt)) as Instant;
    return {
      seenAt,
      discovered: { orgId, labels, ...defined({ declared }), clusters, faults: [...known.faults, ...faults] },
    };
  }

  async #batchesOf({ orgId, subscriptions }: KnownOrganization): Promise<Batch[] | undefined> {
    const start = this.#starts.get(orgId) ?? 0;
    const batches: Batch[] = [];
    for (let at = batchOf(start); at * SUBSCRIPTIONS_AT_ONCE < start + subscriptions.length; at += 1) {
      if (this.#fault !== undefined) return undefined;
      const batch = await this.#batch(at);
      if ('fault' in batch) {
        this.#parts.signal.throwIfAborted();
        this.#fault ??= about('cannot list all clusters', batch.fault);
        return undefined;
      }
      if ((at + 1) * SUBSCRIPTIONS_AT_ONCE < this.#subscriptions.length) void this.#batch(at + 1);
      batches.push(batch);
    }
    return batches;
  }

  #batch(at: number): Promise<Listing> {
    const known = this.#batches.get(at) ?? this.#list(at).catch((thrown: unknown) => ({ fault: faultOf(thrown) }));
    this.#batches.set(at, known);
    return known;
  }

  /** A record without an owner is one of those that were searched for: it affects no other organization. */
  async #list(at: number): Promise<Batch> {
    const { api, now } = this.#parts;
    const from = at * SUBSCRIPTIONS_AT_ONCE;
    const subscriptions = new Map(this.#subscriptions.slice(from, from + SUBSCRIPTIONS_AT_ONCE));
    const findings = new Findings();
    const seenAt = now();
    const rows = await clustersOf(api, subscriptions, findings);
    return { seenAt, findings, clusters: Map.groupBy(rows, ({ orgId }) => orgId) };
  }
}

function batchOf(position: number): number {
  return Math.floor(position / SUBSCRIPTIONS_AT_ONCE);
}
