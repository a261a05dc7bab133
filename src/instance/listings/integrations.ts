import { type Column, count, type ListedRows, listedRows, passes } from '../../base/index.ts';
import type { Resources } from '../domain/fields.ts';
import type { Integration, Managed } from '../domain/integration.ts';
import type { Instance } from '../domain/read-instance.ts';
import type { ListingFilters } from './filters.ts';

/** One place where an integration runs; `entry` is absent for one that is not managed. */
interface Row {
  readonly integration: Integration;
  readonly entry?: Managed;
}

export function integrations({ integrations: all }: Instance, filters: ListingFilters): ListedRows {
  const rows = all
    .filter(({ name }) => passes(filters.integration, name))
    .flatMap((integration): Row[] => {
      const entries = integration.managed.map((entry) => ({ integration, entry }));
      return entries.length === 0 ? [{ integration }] : entries;
    })
    .filter(({ entry }) => filters.environment === undefined || passesEnvironment(filters.environment, entry));
  return listedRows({ kind: 'Integration', noun: 'integration', rows, columns: COLUMNS, name: nameOf, item });
}

function passesEnvironment(environments: readonly string[], entry: Managed | undefined): boolean {
  return entry !== undefined && passes(environments, entry.namespace.environment.name);
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'NAME', cell: nameOf },
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

function nameOf({ integration }: Row): string {
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

function item({ integration, entry }: Row): object {
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
