import { type Column, type ListedRows, listedRows, passes } from '../../base/index.ts';
import type { Organization } from '../domain/ocm.ts';
import type { Instance } from '../domain/read-instance.ts';
import type { ListingFilters } from './filters.ts';

interface Row {
  readonly organization: Organization;
  readonly clusters: number;
  readonly names: ReadonlyMap<string, string>;
}

/** `--environment`: the OCM environment; `--integration`: organizations where it is not disabled. */
export function organizations(instance: Instance, filters: ListingFilters): ListedRows {
  const names = new Map(instance.organizations.map(({ file, name }) => [file, name]));
  const rows = instance.organizations
    .filter(({ disabledIntegrations }) => enabledForSome(filters.integration, disabledIntegrations))
    .filter(({ environment }) => passes(filters.environment, environment.name))
    .map((organization) => ({
      organization,
      clusters: instance.clusters.filter((cluster) => cluster.organization?.file === organization.file).length,
      names,
    }));
  return listedRows({ kind: 'Organization', noun: 'organization', rows, columns: COLUMNS, name: nameOf, item });
}

function enabledForSome(integrations: readonly string[] | undefined, disabled: readonly string[]): boolean {
  return integrations === undefined || integrations.some((name) => !disabled.includes(name));
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'NAME', cell: nameOf },
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

function nameOf({ organization }: Row): string {
  return organization.name;
}

function named({ names }: Row, files: readonly string[]): string {
  return files.map((file) => names.get(file) ?? file).join(',');
}

function item({ organization, clusters }: Row): object {
  const { login: _, environment, ...rest } = organization;
  return { ...rest, environment: environment.name, url: environment.url, clusters };
}
