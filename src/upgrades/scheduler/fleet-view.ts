import { defined } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import type { OrgId } from '../../instance/index.ts';
import { PREFIX, type Reading } from '../policies/label-keys.ts';
import { ClusterReader, type SeenOrganization } from './cluster-reader.ts';
import { type Discovery, discover, type KnownOrganization } from './discover.ts';
import { discoverDeclared } from './discover-declared.ts';
import { type Fault, faultOf } from './fault.ts';
import { ranksOf } from './in-order.ts';
import { forgetClusters, forgetOrganizations, type Memory, memoryOf } from './memory.ts';
import { type Neighbourhood, type Network, namesStrangers, networkOf } from './network.ts';
import type { OrganizationKey, PlanParts } from './plan-organization.ts';
import type { ServedOrganization, Site } from './site.ts';
import { type SitePass, sitePass } from './site-pass.ts';

/** An observed OCM, or why it could not be observed. */
export interface EnvironmentOutcome {
  readonly name: string;
  /** Its organizations were not observed, or not all of them: those of which there is an outcome were. */
  readonly fault?: Fault;
  /** What could not be read, but concerns none of its organizations that are in view. */
  readonly unread?: readonly Fault[];
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
      const { unread } = outcome.discovery;
      const environment = (): EnvironmentOutcome => ({
        ...{ name, ...defined({ fault: reader.fault }) },
        ...(unread.length === 0 ? {} : { unread }),
      });
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

/** All errors of an OCM that are not those of one of its organizations. */
export function environmentFaults({ fault, unread = [] }: EnvironmentOutcome): readonly Fault[] {
  return fault === undefined ? unread : [fault, ...unread];
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
    const { organizationLabels, doubtful, unread } = outcome.discovery;
    return { environment, organizationLabels, doubtful, isPartial: unread.length > 0 };
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
