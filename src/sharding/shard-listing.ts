import { type Column, type ListedRows, listedRows, passes } from '../base/index.ts';
import type { Finding, Instance, Integration, ListingFilters, Managed, Resources } from '../instance/index.ts';
import type { Capabilities } from './capabilities.ts';
import { expandShards } from './expand-shards.ts';
import { objectName, type Shard, workloadOf } from './shard.ts';

interface Row {
  readonly integration: Integration;
  readonly entry: Managed;
  readonly shard: Shard;
}

/** Every managed shard, in render order. */
export function shardListing(instance: Instance, filters: ListingFilters, declared?: Capabilities): ListedRows {
  const rows = instance.integrations
    .filter(({ name }) => passes(filters.integration, name))
    .flatMap((integration) =>
      integration.managed
        .filter(({ namespace }) => passes(filters.environment, namespace.environment.name))
        .flatMap((entry) => rowsOf(instance, integration, entry, declared)),
    );
  return listedRows({ kind: 'Shard', noun: 'shard', rows, columns: COLUMNS, name: nameOf, item });
}

/** Why entries have no shards here. */
export function shardFindings(instance: Instance, declared?: Capabilities): Finding[] {
  return instance.integrations.flatMap((integration) =>
    integration.managed.flatMap((entry) => expandShards(instance, integration, entry, declared).findings),
  );
}

function rowsOf(instance: Instance, integration: Integration, entry: Managed, declared?: Capabilities): Row[] {
  const { shards: expanded, findings } = expandShards(instance, integration, entry, declared);
  if (findings.some(({ severity }) => severity === 'error')) return [];
  return expanded.map((shard) => ({ integration, entry, shard }));
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'INTEGRATION', cell: ({ integration }) => integration.name },
  { title: 'ENVIRONMENT', cell: ({ entry }) => entry.namespace.environment.name },
  { title: 'SHARD', cell: ({ shard }) => shard.name },
  { title: 'IMAGE', cell: ({ shard }) => shard.settings.imageRef ?? 'default' },
  { title: 'FROM', cell: ({ shard }) => shard.settings.imageFrom },
  { title: 'MEMORY', cell: ({ shard }) => range(shard.settings.resources, 'memory') },
  { title: 'CPU', cell: ({ shard }) => range(shard.settings.resources, 'cpu') },
  { title: 'STATE', cell: ({ shard }) => (shard.settings.disabled ? 'disabled' : 'runs') },
  { title: 'OBJECT', cell: nameOf },
  { title: 'KIND', cell: ({ entry }) => workloadOf(entry), wide: true },
  { title: 'CLUSTER/NAMESPACE', cell: ({ entry }) => place(entry), wide: true },
  { title: 'PART', cell: ({ shard }) => part(shard), wide: true },
  { title: 'ARGUMENTS', cell: ({ shard }) => shard.extraArgs.trim(), wide: true },
  { title: 'FILE', cell: ({ integration }) => `data${integration.file}`, wide: true },
];

function nameOf({ integration, shard }: Row): string {
  return objectName(integration, shard);
}

function place({ namespace }: Managed): string {
  return `${namespace.cluster.name}/${namespace.name}`;
}

/** `2 of 5` if the work is divided by hash; `all` otherwise. */
function part({ part: own }: Shard): string {
  return own === undefined || own.shards === 1 ? 'all' : `${own.id + 1} of ${own.shards}`;
}

function range({ requests, limits }: Resources, name: 'cpu' | 'memory'): string {
  const [from, to] = [requests?.[name], limits?.[name]];
  return from === to ? (from ?? '') : `${from ?? ''}..${to ?? ''}`;
}

function item({ integration, entry, shard }: Row): object {
  const { settings } = shard;
  return {
    integration: integration.name,
    environment: entry.namespace.environment.name,
    cluster: entry.namespace.cluster.name,
    namespace: entry.namespace.name,
    shard: shard.name,
    key: shard.key,
    part: shard.part,
    image: settings.imageRef,
    imageFrom: settings.imageFrom,
    resources: settings.resources,
    resourcesFrom: settings.resourcesFrom,
    disabled: settings.disabled,
    extraArgs: shard.extraArgs,
    kind: workloadOf(entry),
    object: objectName(integration, shard),
    file: integration.file,
  };
}
