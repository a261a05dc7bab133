import { valid } from 'semver';
import { defined } from '../../../base/index.ts';
import { clusterIdOf, ksuidOf, uuidOf } from '../ids.ts';
import { DAY } from '../instants.ts';
import type { Gate } from '../model.ts';
import type { Release } from '../version-graph.ts';
import { allLabels, expandClusters, numbered } from './expand-clusters.ts';
import { expandEvents } from './expand-events.ts';
import type { FleetAccount, FleetEnvironment, FleetFile, FleetOrganization } from './fleet.ts';
import type { RawEnvironment, RawFleet, RawOrganization, RawRelease } from './shape.ts';
import { parseDuration, parseWhen } from './units.ts';

export interface FleetProblem {
  /** `environments[0].name`. */
  readonly path: string;
  readonly text: string;
}

interface Expanded {
  readonly fleet: FleetFile;
  readonly problems: readonly FleetProblem[];
}

const ORGANIZATION_AGE_DAYS = 900;

/** Expands all short forms and checks what the schema cannot. */
export function expandFleet(raw: RawFleet, startAt?: Date): Expanded {
  const problems: FleetProblem[] = [];
  const problem = (path: string, text: string): void => void problems.push({ path, text });
  const start = startAt?.getTime() ?? parseWhen(raw.start, 0) ?? 0;
  const environments = raw.environments.map((environment, index) =>
    expandEnvironment(environment, { path: `environments[${index}]`, start, problem }),
  );
  unique(raw.environments, 'environments', 'name', problem);
  const fleet = {
    start,
    timing: raw.timing,
    outcomes: raw.outcomes,
    releases: raw.versions.releases.flatMap((release, index) =>
      expandRelease(release, raw.versions.groups, { path: `versions.releases[${index}]`, start, problem }),
    ),
    gates: raw.gates.map((gate) => expandGate(gate, start)),
    environments: expandEvents(raw.events, environments, start, problem),
  };
  return { fleet, problems };
}

interface Context {
  readonly path: string;
  readonly start: number;
  readonly problem: (path: string, text: string) => void;
}

function expandEnvironment(raw: RawEnvironment, context: Context): FleetEnvironment {
  const { path, problem } = context;
  const organizations = raw.organizations.map((organization, index) =>
    expandOrganization(organization, raw.name, { ...context, path: `${path}.organizations[${index}]` }),
  );
  unique(organizations, `${path}.organizations`, 'id', problem);
  const clusters = organizations.flatMap((organization) => organization.clusters);
  for (const key of ['id', 'uuid', 'subscriptionId'] as const) unique(clusters, `${path}: clusters`, key, problem);
  return { name: raw.name, accounts: expandAccounts(raw, organizations, context), organizations, events: [] };
}

/** An environment without accounts gets one service account, so that a small fleet needs no credentials. */
export const DEFAULT_CLIENT = { id: 'echelon', secret: 'simulated' } as const;

function expandAccounts(
  raw: RawEnvironment,
  organizations: readonly FleetOrganization[],
  { path, start, problem }: Context,
): FleetAccount[] {
  if (raw.accounts.length === 0) {
    const { id: username, secret: clientSecret } = DEFAULT_CLIENT;
    const who = { id: ksuidOf(`account/${username}`, start), username, role: 'service' } as const;
    return [{ ...who, organizationId: organizations[0]?.id, clientId: username, clientSecret }];
  }
  return raw.accounts.map((account, index) => {
    const where = `${path}.accounts[${index}]`;
    const known = organizations.some(({ id }) => id === account.organization);
    if (account.organization !== undefined && !known) problem(`${where}.organization`, 'unknown organization');
    if (account.organization === undefined && account.role !== 'service')
      problem(where, `an account with role ${account.role} needs an organization`);
    return {
      id: ksuidOf(`account/${raw.name}/${account.username}`, start - ORGANIZATION_AGE_DAYS * DAY),
      username: account.username,
      role: account.role,
      organizationId: account.organization,
      ...defined({
        clientId: account.client_id,
        clientSecret: account.client_secret,
        offlineToken: account.offline_token,
      }),
    };
  });
}

function expandOrganization(raw: RawOrganization, environment: string, context: Context): FleetOrganization {
  return {
    id: raw.id,
    name: raw.name,
    externalId:
      raw.external_id ?? String(10_000_000 + (Number.parseInt(clusterIdOf(raw.id).slice(0, 4), 36) % 9_000_000)),
    ebsAccountId:
      raw.ebs_account_id ?? String(5_000_000 + (Number.parseInt(clusterIdOf(raw.name).slice(0, 4), 36) % 900_000)),
    labels: allLabels(raw.labels, raw.aus),
    capabilities: Object.entries(raw.capabilities).map(([name, value]) => ({ name, value })),
    createdAt: context.start - ORGANIZATION_AGE_DAYS * DAY,
    clusters: raw.clusters.flatMap((cluster, index) =>
      expandClusters(cluster, {
        ...context,
        path: `${context.path}.clusters[${index}]`,
        environment,
        organization: raw.id,
      }),
    ),
  };
}

function expandRelease(raw: RawRelease, groups: Readonly<Record<string, string>>, context: Context): Release[] {
  const { path, start, problem } = context;
  for (const group of raw.groups ?? []) {
    if (groups[group] === undefined) problem(`${path}.groups`, `unknown channel group ${group}`);
  }
  const offered = Object.entries(groups).filter(([group]) => raw.groups?.includes(group) ?? true);
  const every = parseDuration(raw.every) ?? 0;
  return Array.from({ length: raw.count ?? 1 }, (_, index) => {
    const version = numbered(raw.version, (raw.from ?? 0) + index);
    if (valid(version) === null) problem(`${path}.version`, `${version} is not a valid version such as 4.18.9`);
    const at = (parseWhen(raw.at, start) ?? 0) + index * every;
    return {
      version,
      groups: Object.fromEntries(offered.map(([group, offset]) => [group, at + (parseDuration(offset) ?? 0)])),
      hosted: raw.hosted,
      rosa: raw.rosa,
      notFrom: raw.not_from,
      ...(raw.withdrawn === undefined ? {} : { withdrawnAt: parseWhen(raw.withdrawn, start) ?? 0 }),
      ...(raw.end_of_life === undefined ? {} : { endOfLifeAt: parseWhen(raw.end_of_life, start) ?? 0 }),
    };
  });
}

function expandGate(raw: RawFleet['gates'][number], start: number): Gate {
  return {
    id: raw.id ?? uuidOf(`gate/${raw.version}/${raw.label}`, 1),
    versionPrefix: raw.version,
    label: raw.label,
    value: raw.value ?? raw.version,
    stsOnly: raw.sts_only,
    clusterCondition: raw.condition,
    description: raw.description,
    warning: raw.warning,
    documentation: raw.documentation,
    createdAt: parseWhen(raw.at, start) ?? 0,
  };
}

function unique<T, Key extends keyof T>(
  items: readonly T[],
  where: string,
  key: Key,
  problem: (path: string, text: string) => void,
): void {
  const seen = new Set<T[Key]>();
  for (const item of items) {
    if (seen.has(item[key])) problem(where, `${String(key)} ${String(item[key])} is not unique`);
    seen.add(item[key]);
  }
}
