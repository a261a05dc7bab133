import { defined, mapLimited } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import type { OrgId } from '../../instance/index.ts';
import { inheritanceOrder } from '../policies/inheritance.ts';
import { PREFIX, type Reading } from '../policies/label-keys.ts';
import {
  byAge,
  type ClustersInView,
  clustersOf,
  type DiscoveredOrganization,
  type Discovery,
  discover,
  discoverDeclared,
  Findings,
  isInView,
  type KnownOrganization,
  type Neighbourhood,
  type Network,
  namesStrangers,
  networkOf,
  type Placed,
} from './discovery.ts';
import { forgetClusters, forgetOrganizations, type Memory, memoryOf, type SitePass, sitePass } from './memory.ts';
import type { OrganizationKey, PlanParts } from './plan-organization.ts';
import { about, type Fault, faultOf, type ServedOrganization, type Site, type UpgradeApi } from './ports.ts';

/** An observed OCM, or why it could not be observed. */
export interface EnvironmentOutcome {
  readonly name: string;
  /** Its organizations were not observed, or not all of them: those of which there is an outcome were. */
  readonly fault?: Fault;
}

/** One organization that is to be decided on. */
export interface Subject extends Pick<PlanParts, 'pass' | 'organization' | 'network' | 'memory'> {
  /** Organizations of a lower rank are decided on first. */
  readonly rank: number;
  /** Reads its clusters, once; undefined when it has none in view or they could not be read. */
  observe(): Promise<SeenOrganization | undefined>;
}

export interface FleetView {
  readonly subjects: readonly Subject[];
  /** As known when the subjects were observed. */
  environments(): EnvironmentOutcome[];
}

interface ViewOptions {
  readonly sites: readonly Site[];
  /** OCMs where no organization is served, but which may publish history. */
  readonly neighbours: readonly Site[];
  readonly memory: Memory;
  readonly reading: Reading;
  readonly ignoreSts: boolean;
  readonly onlyReady: boolean;
  readonly now: () => Instant;
  readonly signal: AbortSignal;
}

interface Seen {
  readonly pass: SitePass;
  readonly discovery: Discovery;
}

type SiteOutcome = { readonly site: Site } & (Seen | { readonly fault: Fault });

/** The fleet-wide calls of a pass. An unreachable OCM does not affect others. */
export async function observeFleet(options: ViewOptions): Promise<FleetView> {
  const outcomes = await Promise.all(options.sites.map((site) => look(site, options)));
  options.signal.throwIfAborted();
  const network = await networkFor(outcomes, options);
  const ranks = ranksOf(servedIn(outcomes), network);
  const views = await Promise.all(
    outcomes.map(async (outcome) => {
      const { name } = outcome.site;
      if ('fault' in outcome) return { subjects: [], environment: () => ({ name, fault: outcome.fault }) };
      const { reader, subjects } = await subjectsOf(outcome, network, ranks, options);
      const environment = (): EnvironmentOutcome => ({ name, ...defined({ fault: reader.fault }) });
      return { subjects, environment };
    }),
  );
  return {
    subjects: views.flatMap(({ subjects }) => subjects),
    environments: () => views.map(({ environment }) => environment()),
  };
}

function servedIn(outcomes: readonly SiteOutcome[]): OrgId[] {
  return outcomes.flatMap((outcome) =>
    'discovery' in outcome ? outcome.discovery.organizations.map(({ orgId }) => orgId) : [],
  );
}

async function look(site: Site, { memory, now, signal }: ViewOptions): Promise<SiteOutcome> {
  try {
    const api = await site.connect();
    const serves = (orgId: string): boolean => site.serves(orgId) !== undefined;
    const own = memory.of(site.name);
    const discovery =
      site.declared === undefined
        ? await discover(api, { serves, now, foreign: own.foreign })
        : await discoverDeclared(api, site.declared, serves);
    own.organizationLabels = discovery.organizationLabels;
    forgetOrganizations(
      own,
      discovery.organizations.map(({ orgId }) => orgId),
    );
    return { site, pass: sitePass(site, api, own, now), discovery };
  } catch (thrown) {
    signal.throwIfAborted();
    return { site, fault: faultOf(thrown) };
  }
}

async function networkFor(outcomes: readonly SiteOutcome[], options: ViewOptions): Promise<Network> {
  const { memory, reading, neighbours } = options;
  const own = outcomes.map((outcome): Neighbourhood => {
    const environment = outcome.site.name;
    if (outcome.site.declared !== undefined) return { environment, organizationLabels: outcome.site.declared.sharing };
    if ('fault' in outcome) return remembered(environment, memory);
    const { organizationLabels, doubtful } = outcome.discovery;
    return { environment, organizationLabels, doubtful };
  });
  const known = new Map(own.flatMap(({ organizationLabels }) => [...(organizationLabels ?? [])]));
  if (!namesStrangers(known, servedIn(outcomes), reading)) return networkOf(own, reading);
  const others = await Promise.all(neighbours.map((site) => neighbourhood(site, memory)));
  options.signal.throwIfAborted();
  return networkOf([...others, ...own], reading);
}

function remembered(environment: string, memory: Memory): Neighbourhood {
  const { organizationLabels } = memory.of(environment);
  return { environment, ...defined({ organizationLabels }) };
}

/** As it is now, or as last observed. */
async function neighbourhood(site: Site, memory: Memory): Promise<Neighbourhood> {
  if (site.declared !== undefined) return { environment: site.name, organizationLabels: site.declared.sharing };
  try {
    const api = await site.connect();
    const { items, problems } = await api.listLabels(`${PREFIX}version-data.`);
    if (problems.length > 0) return remembered(site.name, memory);
    const labels = new Map<string, Record<string, string>>();
    for (const { organizationId, key, value } of items) {
      if (organizationId === undefined) continue;
      labels.set(organizationId, { ...labels.get(organizationId), [key]: value });
    }
    memory.of(site.name).organizationLabels = labels;
    return { environment: site.name, organizationLabels: labels };
  } catch {
    return remembered(site.name, memory);
  }
}

async function subjectsOf(
  { pass, discovery }: Seen,
  network: Network,
  ranks: ReadonlyMap<string, number>,
  { ignoreSts, onlyReady, now, signal }: ViewOptions,
): Promise<{ readonly reader: ClusterReader; readonly subjects: Subject[] }> {
  const { site } = pass;
  const rankOf = ({ orgId }: KnownOrganization): number => ranks.get(orgId) ?? 0;
  const served = discovery.organizations.flatMap((known) => {
    const organization = site.serves(known.orgId);
    return organization === undefined ? [] : [{ known, organization }];
  });
  const names = await namesOf(
    pass,
    served.map(({ organization }) => organization),
  );
  const reader = new ClusterReader({
    ...{ api: pass.api, discovery, view: { ignoreSts, onlyReady }, now, signal },
    organizations: served.map(({ known }) => known).sort((a, b) => rankOf(a) - rankOf(b)),
  });
  const subjects = served.map(({ known, organization }): Subject => {
    const memory = memoryOf(pass.memory, known.orgId);
    return {
      ...{ pass, network, memory, rank: rankOf(known) },
      organization: keyed(site, organization, names.get(organization.orgId)),
      observe: async () => {
        const seen = await reader.read(known);
        const clusters = seen?.discovered.clusters ?? [];
        if (reader.fault === undefined)
          forgetClusters(
            memory,
            clusters.map(({ row }) => ({ id: row.id, uuid: row.externalId })),
          );
        return seen;
      },
    };
  });
  return { reader, subjects };
}

function keyed(
  site: Site,
  organization: ServedOrganization,
  name: string = organization.orgId,
): ServedOrganization & OrganizationKey {
  return { ...organization, environment: site.name, name: organization.name ?? name };
}

/** Names that only OCM knows; read once. Ids are the fallback. */
async function namesOf(
  { api, memory }: SitePass,
  organizations: readonly ServedOrganization[],
): Promise<ReadonlyMap<string, string>> {
  const unnamed: OrgId[] = organizations.flatMap(({ orgId, name }) =>
    name === undefined && !memory.names.has(orgId) ? [orgId] : [],
  );
  if (unnamed.length === 0) return memory.names;
  const found = await api.organizationNames(unnamed).catch(() => undefined);
  for (const orgId of found === undefined ? [] : unnamed) memory.names.set(orgId, found?.get(orgId) ?? orgId);
  return memory.names;
}

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

/** A source has a lower rank than who inherits from it. */
function ranksOf(organizations: readonly string[], { inheritance }: Network): ReadonlyMap<string, number> {
  const sourcesOf = (orgId: string): string[] =>
    (inheritance.get(orgId)?.verified ?? []).map((source) => source.orgId).filter((source) => source !== orgId);
  return inheritanceOrder(new Map(organizations.map((orgId) => [orgId, sourcesOf(orgId)]))).ranks;
}

/**
 * Calls `act` for each organization after it has ended for all of a lower rank; results keep the order of the
 * organizations.
 */
export async function inOrderOfInheritance<Subject extends { readonly rank: number }, Result>(
  subjects: readonly Subject[],
  limit: number,
  act: (subject: Subject) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result[]> {
  const waves = [...Map.groupBy(subjects, ({ rank }) => rank)].sort(([a], [b]) => a - b);
  const results = new Map<Subject, Result>();
  for (const [, wave] of waves)
    await mapLimited(wave, limit, async (subject) => void results.set(subject, await act(subject)), signal);
  return subjects.map((subject) => results.get(subject) as Result);
}
