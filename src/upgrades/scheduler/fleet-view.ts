import { defined } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import type { OrgId } from '../../instance/index.ts';
import type { Reading } from '../policies/csv.ts';
import { PREFIX } from '../policies/label-keys.ts';
import { type Discovery, discover } from './discover.ts';
import { discoverDeclared } from './discover-declared.ts';
import { type Fault, faultOf } from './fault.ts';
import { forgetOthers, type Memory } from './memory.ts';
import { type Neighbourhood, type Network, namesStrangers, networkOf } from './network.ts';
import type { OrganizationKey, PlanParts } from './plan-organization.ts';
import type { ServedOrganization, Site } from './site.ts';
import { type SitePass, sitePass } from './site-pass.ts';

/** An observed OCM, or why it could not be observed. */
export interface EnvironmentOutcome {
  readonly name: string;
  /** None of its organizations was observed. */
  readonly fault?: Fault;
  /** What could not be read, but concerns none of its organizations that are in view. */
  readonly unread?: readonly Fault[];
}

/** One organization that is to be decided on. */
export type Subject = Pick<PlanParts, 'pass' | 'organization' | 'discovered' | 'seenAt' | 'network'>;

export interface FleetView {
  readonly environments: readonly EnvironmentOutcome[];
  readonly subjects: readonly Subject[];
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
  const seen = outcomes.filter((outcome): outcome is { site: Site } & Seen => 'discovery' in outcome);
  return {
    environments: outcomes.map((outcome) => ({
      name: outcome.site.name,
      ...('fault' in outcome ? { fault: outcome.fault } : unreadOf(outcome.discovery)),
    })),
    subjects: (await Promise.all(seen.map((each) => subjectsOf(each, network)))).flat(),
  };
}

function unreadOf({ unread }: Discovery): Pick<EnvironmentOutcome, 'unread'> {
  return unread.length === 0 ? {} : { unread };
}

/** All errors of an OCM that are not those of one of its organizations. */
export function environmentFaults({ fault, unread = [] }: EnvironmentOutcome): readonly Fault[] {
  return fault === undefined ? unread : [fault, ...unread];
}

async function look(site: Site, { memory, ignoreSts, onlyReady, now, signal }: ViewOptions): Promise<SiteOutcome> {
  try {
    const api = await site.connect();
    const serves = (orgId: string): boolean => site.serves(orgId) !== undefined;
    const own = memory.of(site.name);
    const discovery =
      site.declared === undefined
        ? await discover(api, { serves, ignoreSts, onlyReady, now, foreign: own.foreign })
        : await discoverDeclared(api, site.declared, { serves, ignoreSts, onlyReady, now });
    own.organizationLabels = discovery.organizationLabels;
    const clusters = discovery.organizations.flatMap((organization) => organization.clusters);
    forgetOthers(
      own,
      clusters.map(({ row }) => ({ id: row.id, uuid: row.externalId })),
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
  const served = outcomes.flatMap((outcome) =>
    'discovery' in outcome ? outcome.discovery.organizations.map(({ orgId }) => orgId) : [],
  );
  if (!namesStrangers(known, served, reading)) return networkOf(own, reading);
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

async function subjectsOf({ pass, discovery }: Seen, network: Network): Promise<Subject[]> {
  const { site } = pass;
  const served = discovery.organizations.flatMap((discovered) => {
    const organization = site.serves(discovered.orgId);
    return organization === undefined ? [] : [{ discovered, organization }];
  });
  const names = await namesOf(
    pass,
    served.map(({ organization }) => organization),
  );
  return served.map(({ discovered, organization }) => ({
    pass,
    discovered,
    seenAt: discovery.seenAt,
    network,
    organization: keyed(site, organization, names.get(organization.orgId)),
  }));
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
