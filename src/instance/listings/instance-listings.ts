import type { ListedRows } from '../../base/index.ts';
import type { Instance } from '../domain/read-instance.ts';
import { accounts } from './accounts.ts';
import { clusters } from './clusters.ts';
import { environments } from './environments.ts';
import type { ListingFilters } from './filters.ts';
import { integrations } from './integrations.ts';
import { organizations } from './organizations.ts';

/** What an instance declares, kind by kind. */
export const INSTANCE_LISTINGS = { integrations, environments, clusters, accounts, organizations } satisfies Readonly<
  Record<string, (instance: Instance, filters: ListingFilters) => ListedRows>
>;
