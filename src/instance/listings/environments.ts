import { type Column, defined, type ListedRows, listedRows, passes } from '../../base/index.ts';
import type { Environment } from '../domain/environment.ts';
import type { Namespace } from '../domain/namespace.ts';
import { environmentNames, type Instance } from '../domain/read-instance.ts';
import type { ListingFilters } from './filters.ts';

/** An environment; one that only lean namespaces declare has no file of its own. */
interface Row {
  readonly name: string;
  readonly environment?: Environment;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly namespaces: readonly Namespace[];
  readonly integrations: readonly string[];
}

export function environments(instance: Instance, filters: ListingFilters): ListedRows {
  const rows = environmentNames(instance)
    .filter((name) => passes(filters.environment, name))
    .map((name) => rowOf(instance, name))
    .filter(
      (row) => filters.integration === undefined || row.integrations.some((name) => passes(filters.integration, name)),
    );
  return listedRows({
    kind: 'Environment',
    noun: 'environment',
    rows,
    columns: COLUMNS,
    name: ({ name }) => name,
    item,
  });
}

function rowOf(instance: Instance, name: string): Row {
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

const COLUMNS: readonly Column<Row>[] = [
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

function clusterNames({ namespaces }: Row): string[] {
  return [...new Set(namespaces.map(({ cluster }) => cluster.name))].sort();
}

function upstreamRefs({ parameters }: Row): string {
  const repos = parameters['INTEGRATION_UPSTREAM_REPOS'];
  if (!Array.isArray(repos)) return '';
  return (repos as readonly { repo?: unknown; ref?: unknown }[])
    .map(({ repo, ref }) => `${String(repo).replace(/^.*\//, '')}@${shortRef(String(ref))}`)
    .join(',');
}

function shortRef(ref: string): string {
  return /^[0-9a-f]{40}$/.test(ref) ? ref.slice(0, 7) : ref;
}

function item(row: Row): object {
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
