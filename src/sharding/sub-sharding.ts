import { count } from '../base/index.ts';
import type { Finding, ShardOverride } from '../instance/index.ts';
import { DIVIDES, dividesWork } from './capabilities.ts';
import type { Overridden, OverrideFault } from './overridden.ts';
import type { ShardItem, Strategy } from './strategies.ts';

/** The strategies whose overrides have a field for sub-sharding in the published types of a qontract-server. */
const SERVED: ReadonlySet<string> = new Set(['per-openshift-cluster']);

/** A static shard has an id and a count already; sub-shards would lose them and process the keys of other shards. */
export function subShardingFault({ subSharding }: ShardOverride, { items }: Strategy): OverrideFault | undefined {
  if (subSharding === undefined || items !== undefined) return undefined;
  return {
    field: 'subSharding',
    rule: 'override-sub-sharding',
    message: 'a static shard cannot have sub-shards',
    hint: 'remove subSharding and increase shards',
  };
}

/** Problems with dividing the shard of an item by the override at this index. */
export function subShardingFindings(index: number, { name }: ShardItem, overridden: Overridden): Finding[] {
  const { entry, integration, instance, capabilities } = overridden;
  const { subSharding } = entry.sharding.overrides[index] ?? {};
  const { shards = 1 } = subSharding ?? {};
  if (shards === 1 || dividesWork(integration.name, capabilities)) return notServed(index, overridden);
  const place = instance.snapshot.kind === 'server' ? 'a --capabilities file' : 'its capabilities';
  return [
    {
      rule: 'sub-sharding-undivided',
      severity: 'error',
      path: integration.file,
      keys: keysOf(index, overridden),
      message: `${integration.name} is not known to divide its work by ${DIVIDES}: all ${shards} sub-shards of ${name} would do the same work`,
      hint: `remove subSharding, or, if it reads SHARDS and SHARD_ID, add '${DIVIDES}' to ${place}`,
    },
  ];
}

function keysOf(index: number, { entry }: Overridden): Finding['keys'] {
  return [...entry.keys, 'sharding', 'shardSpecOverrides', index, 'subSharding'];
}

const NOT_SERVED = { rule: 'sub-sharding-not-served', severity: 'warning' } as const;

/** An override in a file that has other shards when the same file is read from a server. */
function notServed(index: number, overridden: Overridden): Finding[] {
  const { entry, strategy, integration, instance } = overridden;
  const { subSharding } = entry.sharding.overrides[index] ?? {};
  if (subSharding === undefined || SERVED.has(strategy.id) || instance.snapshot.kind === 'server') return [];
  return [
    {
      ...NOT_SERVED,
      path: integration.file,
      keys: keysOf(index, overridden),
      message: `a qontract-server does not serve subSharding of ${strategy.id} overrides: a manager that reads from one runs this shard undivided`,
      hint: 'let the manager read the instance as a directory or a bundle, or remove subSharding',
    },
  ];
}

/** From a server that does not serve it, nothing is known of the sub-sharding of any override. */
export function notServedEntry({ entry, strategy, integration, instance }: Overridden): Finding[] {
  const { overrides } = entry.sharding;
  if (overrides.length === 0 || !instance.snapshot.strategiesWithoutSubSharding?.has(strategy.id)) return [];
  const shards = count(overrides.length, 'overridden shard');
  return [
    {
      ...NOT_SERVED,
      path: integration.file,
      keys: [...entry.keys, 'sharding', 'shardSpecOverrides'],
      message: `the server does not serve subSharding of ${strategy.id} overrides: unknown whether the file divides ${shards} of ${integration.name}`,
      hint: 'validate the instance as a directory to see whether it does',
    },
  ];
}
