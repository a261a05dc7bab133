import { type Column, count, defined, type ListedRows, listedRows, passes } from '../base/index.ts';
import type { Account, Cluster } from './domain/cluster.ts';
import type { Resources } from './domain/fields.ts';
import type { Integration, Managed } from './domain/integration.ts';
import type { Environment, Namespace } from './domain/namespace.ts';
import type { Organization } from './domain/ocm.ts';
import { environmentNames, type Instance } from './domain/read-instance.ts';

/** The tables of `get`, one for each kind. */
export const INSTANCE_LISTINGS = { integrations, environments, clusters, accounts, organizations } satisfies Readonly<
  Record<string, (instance: Instance, filters: ListingFilters) => ListedRows>
>;

/** Names to which a listing is narrowed; all by default. */
export interface ListingFilters {
  readonly environment?: readonly string[];
  readonly integration?: readonly string[];
}

/** One place where an integration runs; `entry` is absent for one that is not managed. */
interface IntegrationRow {
  readonly integration: Integration;
  readonly entry?: Managed;
}

function integrations({ integrations: all }: Instance, filters: ListingFilters): ListedRows {
  const rows = all
    .filter(({ name }) => passes(filters.integration, name))
    .flatMap((integration): IntegrationRow[] => {
      const entries = integration.managed.map((entry) => ({ integration, entry }));
      return entries.length === 0 ? [{ integration }] : entries;
    })
    .filter(({ entry }) => filters.environment === undefined || passesEnvironment(filters.environment, entry));
  return listedRows({
    kind: 'Integration',
    noun: 'integration',
    rows,
    columns: INTEGRATION_COLUMNS,
    name: integrationName,
    item: integrationItem,
  });
}

function passesEnvironment(environments: readonly string[], entry: Managed | undefined): boolean {
  return entry !== undefined && passes(environments, entry.namespace.environment.name);
}

const INTEGRATION_COLUMNS: readonly Column<IntegrationRow>[] = [
  { title: 'NAME', cell: integrationName },
  { title: 'ENVIRONMENT', cell: ({ entry }) => entry?.namespace.environment.name ?? '' },
  { title: 'CLUSTER/NAMESPACE', cell: ({ entry }) => (entry === undefined ? '' : target(entry)) },
  { title: 'KIND', cell: ({ entry }) => (entry === undefined ? 'not managed' : workload(entry)) },
  { title: 'SHARDING', cell: ({ entry }) => (entry === undefined ? '' : sharding(entry)) },
  { title: 'IMAGE', cell: ({ entry }) => (entry === undefined ? '' : image(entry)) },
  { title: 'SCHEDULE', cell: ({ entry }) => (entry === undefined ? '' : rhythm(entry)), wide: true },
  { title: 'RESOURCES', cell: ({ entry }) => (entry === undefined ? '' : resources(entry.spec.resources)), wide: true },
  { title: 'PR CHECK', cell: ({ integration }) => prCheck(integration), wide: true },
  { title: 'UPSTREAM', cell: ({ integration }) => integration.upstream ?? '', wide: true },
  { title: 'FILE', cell: ({ integration }) => `data${integration.file}`, wide: true },
];

function integrationName({ integration }: IntegrationRow): string {
  return integration.name;
}

function target({ namespace }: Managed): string {
  return `${namespace.cluster.name}/${namespace.name}`;
}

function workload({ spec }: Managed): string {
  if (spec.cron !== undefined) return 'CronJob';
  return spec.cache === true ? 'StatefulSet' : 'Deployment';
}

function sharding({ sharding: { strategy, shards, overrides } }: Managed): string {
  const number = strategy === 'static' ? `static ${shards ?? 1}` : strategy;
  return overrides.length === 0 ? number : `${number}, ${count(overrides.length, 'override')}`;
}

/** The integration's image and the number of pins. */
function image({ spec, sharding: { overrides } }: Managed): string {
  const pins = overrides.filter((override) => override.imageRef !== undefined).length;
  const own = spec.imageRef ?? 'default';
  return pins === 0 ? own : `${own}, ${count(pins, 'pin')}`;
}

function rhythm({ spec }: Managed): string {
  if (spec.cron !== undefined) return spec.cron;
  return spec.sleepDurationSecs === undefined ? 'loop' : `loop, ${spec.sleepDurationSecs} s apart`;
}

function resources({ requests, limits }: Resources): string {
  const range = (name: 'cpu' | 'memory'): string => `${requests?.[name] ?? '?'}..${limits?.[name] ?? ''}`;
  return `cpu ${range('cpu')} memory ${range('memory')}`;
}

function prCheck({ prCheck: check }: Integration): string {
  if (check === undefined) return 'no';
  if (check.disabled === true) return 'disabled';
  return check.always_run === true ? 'always' : 'yes';
}

function integrationItem({ integration, entry }: IntegrationRow): object {
  const { name, file, description, upstream, prCheck: check } = integration;
  return {
    name,
    file,
    description,
    upstream,
    prCheck: check,
    ...(entry === undefined
      ? { managed: false }
      : {
          managed: true,
          environment: entry.namespace.environment.name,
          cluster: entry.namespace.cluster.name,
          namespace: entry.namespace.name,
          workload: workload(entry),
          spec: entry.spec,
          sharding: entry.sharding,
        }),
  };
}

/** An environment; one that only lean namespaces declare has no file of its own. */
interface EnvironmentRow {
  readonly name: string;
  readonly environment?: Environment;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly namespaces: readonly Namespace[];
  readonly integrations: readonly string[];
}

function environments(instance: Instance, filters: ListingFilters): ListedRows {
  const rows = environmentNames(instance)
    .filter((name) => passes(filters.environment, name))
    .map((name) => environmentRow(instance, name))
    .filter(
      (row) => filters.integration === undefined || row.integrations.some((name) => passes(filters.integration, name)),
    );
  return listedRows({
    kind: 'Environment',
    noun: 'environment',
    rows,
    columns: ENVIRONMENT_COLUMNS,
    name: ({ name }) => name,
    item: environmentItem,
  });
}

function environmentRow(instance: Instance, name: string): EnvironmentRow {
  const environment = instance.environments.find((candidate) => candidate.name === name);
  const namespaces = instance.namespaces.filter((namespace) => namespace.environment.name === name);
  const integrations = instance.integrations.filter(({ managed }) =>
    managed.some(({ namespace }) => namespace.environment.name === name),
  );
  return {
    name,
    ...defined({ environment }),
    parameters: environment?.parameters ?? namespaces[0]?.environment.parameters ?? {},
    namespaces,
    integrations: integrations.map((integration) => integration.name),
  };
}

const ENVIRONMENT_COLUMNS: readonly Column<EnvironmentRow>[] = [
  { title: 'NAME', cell: ({ name }) => name },
  { title: 'PRODUCT', cell: ({ environment }) => environment?.product.name ?? '' },
  { title: 'PHASE', cell: ({ environment }) => environment?.servicePhase ?? '' },
  { title: 'NAMESPACES', cell: ({ namespaces }) => String(namespaces.length) },
  { title: 'INTEGRATIONS', cell: ({ integrations }) => String(integrations.length) },
  { title: 'CLUSTERS', cell: (row) => clusterNames(row).join(','), wide: true },
  { title: 'PARAMETERS', cell: ({ parameters }) => String(Object.keys(parameters).length), wide: true },
  { title: 'UPSTREAM REFS', cell: (row) => upstreamRefs(row), wide: true },
  { title: 'DEPENDS ON', cell: ({ environment }) => environment?.dependsOn ?? '', wide: true },
  {
    title: 'FILE',
    cell: ({ environment }) => (environment === undefined ? 'in lean namespaces' : `data${environment.file}`),
    wide: true,
  },
];

function clusterNames({ namespaces }: EnvironmentRow): string[] {
  return [...new Set(namespaces.map(({ cluster }) => cluster.name))].sort();
}

function upstreamRefs({ parameters }: EnvironmentRow): string {
  const repos = parameters['INTEGRATION_UPSTREAM_REPOS'];
  if (!Array.isArray(repos)) return '';
  return (repos as readonly { repo?: unknown; ref?: unknown }[])
    .map(({ repo, ref }) => `${String(repo).replace(/^.*\//, '')}@${shortRef(String(ref))}`)
    .join(',');
}

function shortRef(ref: string): string {
  return /^[0-9a-f]{40}$/.test(ref) ? ref.slice(0, 7) : ref;
}

function environmentItem(row: EnvironmentRow): object {
  const { name, environment, parameters, namespaces, integrations } = row;
  return {
    name,
    file: environment?.file,
    product: environment?.product.name,
    servicePhase: environment?.servicePhase,
    labels: environment?.labels,
    dependsOn: environment?.dependsOn,
    parameters,
    clusters: clusterNames(row),
    namespaces: namespaces.map((namespace) => `${namespace.cluster.name}/${namespace.name}`),
    integrations,
  };
}

interface ClusterRow {
  readonly cluster: Cluster;
  readonly namespaces: number;
  readonly integrations: readonly string[];
  readonly environments: readonly string[];
}

/** `--environment`: clusters with a namespace of it; `--integration`: clusters that it runs on. */
function clusters(instance: Instance, filters: ListingFilters): ListedRows {
  const rows = instance.clusters
    .map((cluster) => clusterRow(instance, cluster))
    .filter(({ environments }) => some(filters.environment, environments))
    .filter(({ integrations }) => some(filters.integration, integrations));
  return listedRows({
    kind: 'Cluster',
    noun: 'cluster',
    rows,
    columns: CLUSTER_COLUMNS,
    name: ({ cluster }) => cluster.name,
    item: clusterItem,
  });
}

function some(filter: readonly string[] | undefined, names: readonly string[]): boolean {
  return filter === undefined || names.some((name) => passes(filter, name));
}

function clusterRow(instance: Instance, cluster: Cluster): ClusterRow {
  const namespaces = instance.namespaces.filter((namespace) => namespace.cluster.name === cluster.name);
  const integrations = instance.integrations.filter(({ managed }) =>
    managed.some(({ namespace }) => namespace.cluster.name === cluster.name),
  );
  return {
    cluster,
    namespaces: namespaces.length,
    integrations: integrations.map(({ name }) => name),
    environments: [...new Set(namespaces.map(({ environment }) => environment.name))],
  };
}

const CLUSTER_COLUMNS: readonly Column<ClusterRow>[] = [
  { title: 'NAME', cell: ({ cluster }) => cluster.name },
  { title: 'PRODUCT', cell: ({ cluster }) => product(cluster) },
  { title: 'VERSION', cell: ({ cluster }) => cluster.spec?.version ?? '' },
  { title: 'CHANNEL', cell: ({ cluster }) => cluster.spec?.channel ?? '' },
  { title: 'ORGANIZATION', cell: ({ cluster }) => cluster.organization?.name ?? '' },
  { title: 'NAMESPACES', cell: ({ namespaces }) => String(namespaces) },
  { title: 'INTEGRATIONS', cell: ({ integrations }) => String(integrations.length) },
  { title: 'REGION', cell: ({ cluster }) => cluster.spec?.region ?? '', wide: true },
  { title: 'ACCESS', cell: ({ cluster }) => access(cluster), wide: true },
  { title: 'UPGRADES', cell: ({ cluster }) => upgrades(cluster), wide: true },
  { title: 'DISABLED FOR', cell: ({ cluster }) => cluster.disabledIntegrations.join(','), wide: true },
  { title: 'SERVER', cell: ({ cluster }) => cluster.serverUrl, wide: true },
  { title: 'FILE', cell: ({ cluster }) => `data${cluster.file}`, wide: true },
];

function product({ spec }: Cluster): string {
  if (spec === undefined) return '';
  return spec.hypershift === true ? `${spec.product} hosted` : spec.product;
}

function access({ spec, insecureSkipTLSVerify }: Cluster): string {
  const reach = spec === undefined ? '' : spec.private ? 'private' : 'public';
  return insecureSkipTLSVerify === true ? `${reach}, TLS not verified` : reach;
}

function upgrades({ upgradePolicy }: Cluster): string {
  if (upgradePolicy === undefined) return '';
  const { schedule, workloads, conditions } = upgradePolicy;
  return `${workloads.join(',')} soak ${conditions.soakDays} d at ${schedule}`;
}

function clusterItem({ cluster, integrations, environments }: ClusterRow): object {
  const { organization, automationToken: _token, clusterAdminAutomationToken: _admin, ...rest } = cluster;
  return { ...rest, organization: organization?.name, environments, integrations };
}

/** `--integration`: accounts where it is not disabled. Accounts belong to no environment. */
function accounts(instance: Instance, { integration = [] }: ListingFilters): ListedRows {
  const rows = instance.accounts.filter(
    ({ disabledIntegrations }) =>
      integration.length === 0 || integration.some((name) => !disabledIntegrations.includes(name)),
  );
  return listedRows({
    kind: 'Account',
    noun: 'account',
    rows,
    columns: ACCOUNT_COLUMNS,
    name: ({ name }) => name,
    item: (account) => account,
  });
}

const ACCOUNT_COLUMNS: readonly Column<Account>[] = [
  { title: 'NAME', cell: ({ name }) => name },
  { title: 'UID', cell: ({ uid }) => uid },
  { title: 'REGION', cell: ({ resourcesDefaultRegion }) => resourcesDefaultRegion },
  { title: 'DISABLED FOR', cell: ({ disabledIntegrations }) => disabledIntegrations.join(',') },
  { title: 'PARTITION', cell: ({ partition }) => partition ?? 'aws', wide: true },
  { title: 'REGIONS', cell: ({ supportedDeploymentRegions }) => supportedDeploymentRegions.join(','), wide: true },
  { title: 'LABELS', cell: ({ labels }) => labelText(labels), wide: true },
  { title: 'FILE', cell: ({ file }) => `data${file}`, wide: true },
];

function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

interface OrganizationRow {
  readonly organization: Organization;
  readonly clusters: number;
  readonly names: ReadonlyMap<string, string>;
}

/** `--environment`: the OCM environment; `--integration`: organizations where it is not disabled. */
function organizations(instance: Instance, filters: ListingFilters): ListedRows {
  const names = new Map(instance.organizations.map(({ file, name }) => [file, name]));
  const rows = instance.organizations
    .filter(({ disabledIntegrations }) => enabledForSome(filters.integration, disabledIntegrations))
    .filter(({ environment }) => passes(filters.environment, environment.name))
    .map((organization) => ({
      organization,
      clusters: instance.clusters.filter((cluster) => cluster.organization?.file === organization.file).length,
      names,
    }));
  return listedRows({
    kind: 'Organization',
    noun: 'organization',
    rows,
    columns: ORGANIZATION_COLUMNS,
    name: organizationName,
    item: organizationItem,
  });
}

function enabledForSome(integrations: readonly string[] | undefined, disabled: readonly string[]): boolean {
  return integrations === undefined || integrations.some((name) => !disabled.includes(name));
}

const ORGANIZATION_COLUMNS: readonly Column<OrganizationRow>[] = [
  { title: 'NAME', cell: organizationName },
  { title: 'ORG ID', cell: ({ organization }) => organization.orgId },
  { title: 'OCM ENVIRONMENT', cell: ({ organization }) => organization.environment.name },
  { title: 'CLUSTERS', cell: ({ clusters }) => String(clusters) },
  { title: 'POLICIES', cell: ({ organization }) => String(organization.policyClusters.length) },
  { title: 'SECTORS', cell: ({ organization }) => organization.sectors.map(({ name }) => name).join(',') },
  { title: 'BLOCKED VERSIONS', cell: ({ organization }) => organization.blockedVersions.join(' '), wide: true },
  { title: 'INHERITS FROM', cell: (row) => named(row, row.organization.inheritVersionData), wide: true },
  { title: 'PUBLISHES TO', cell: (row) => named(row, row.organization.publishVersionData), wide: true },
  { title: 'DISABLED FOR', cell: ({ organization }) => organization.disabledIntegrations.join(','), wide: true },
  { title: 'URL', cell: ({ organization }) => organization.environment.url, wide: true },
  { title: 'FILE', cell: ({ organization }) => `data${organization.file}`, wide: true },
];

function organizationName({ organization }: OrganizationRow): string {
  return organization.name;
}

function named({ names }: OrganizationRow, files: readonly string[]): string {
  return files.map((file) => names.get(file) ?? file).join(',');
}

function organizationItem({ organization, clusters }: OrganizationRow): object {
  const { login: _, environment, ...rest } = organization;
  return { ...rest, environment: environment.name, url: environment.url, clusters };
}
