import { type Column, type ListedRows, listedRows } from '../../base/index.ts';
import type { Account } from '../domain/cluster.ts';
import type { Instance } from '../domain/read-instance.ts';
import type { ListingFilters } from './filters.ts';

/** `--integration`: accounts where it is not disabled. Accounts belong to no environment. */
export function accounts(instance: Instance, { integration = [] }: ListingFilters): ListedRows {
  const rows = instance.accounts.filter(
    ({ disabledIntegrations }) =>
      integration.length === 0 || integration.some((name) => !disabledIntegrations.includes(name)),
  );
  return listedRows({
    kind: 'Account',
    noun: 'account',
    rows,
    columns: COLUMNS,
    name: ({ name }) => name,
    item: (account) => account,
  });
}

const COLUMNS: readonly Column<Account>[] = [
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
