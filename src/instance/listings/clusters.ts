import { type Column, type ListedRows, listedRows, passes } from '../../base/index.ts';
import type { Cluster } from '../domain/cluster.ts';
import type { Instance } from '../domain/read-instance.ts';
import type { ListingFilters } from './filters.ts';

interface Row {
  readonly cluster: Cluster;
  readonly namespaces: number;
  readonly integrations: readonly string[];
  readonly environments: readonly string[];
}

/** `--environment`: clusters with a namespace of it; `--integration`: clusters that it runs on. */
export function clusters(instance: Instance, filters: ListingFilters): ListedRows {
  const rows = instance.clusters
    .map((cluster) => rowOf(instance, cluster))
    .filter(({ environments }) => some(filters.environment, environments))
    .filter(({ integrations }) => some(filters.integration, integrations));
  return listedRows({
    kind: 'Cluster',
    noun: 'cluster',
    rows,
    columns: COLUMNS,
    name: ({ cluster }) => cluster.name,
    item,
  });
}

function some(filter: readonly string[] | undefined, names: readonly string[]): boolean {
  return filter === undefined || names.some((name) => passes(filter, name));
}

function rowOf(instance: Instance, cluster: Cluster): Row {
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

const COLUMNS: readonly Column<Row>[] = [
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

function item({ cluster, integrations, environments }: Row): object {
  const { organization, automationToken: _token, clusterAdminAutomationToken: _admin, ...rest } = cluster;
  return { ...rest, organization: organization?.name, environments, integrations };
}
