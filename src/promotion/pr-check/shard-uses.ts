import { defined } from '../../base/index.ts';
import type { Instance, Integration, Managed } from '../../instance/index.ts';
import { type Capabilities, expandShards, type Shard, type Strategy, strategyOf } from '../../sharding/index.ts';

/** What a command-line option can limit a dry run to. */
export interface Unit {
  readonly flag: string;
  readonly argument: string;
  readonly name: string;
}

export function unitKey({ flag, argument }: Unit): string {
  return `${flag} ${argument}`;
}

/** A shard in a namespace, with the image that it runs there. */
export interface ShardUse {
  /** `environment cluster/namespace`, for messages. */
  readonly place: string;
  /** Absent for static shards: their work is divided by hash, which no option can select. */
  readonly unit?: Unit;
  readonly disabled: boolean;
  readonly imageRef?: string;
  readonly imageFrom: Shard['settings']['imageFrom'];
}

interface ShardUses {
  readonly uses: readonly ShardUse[];
  /** Skipped entries, with reasons. */
  readonly notes: readonly string[];
}

export function shardUses(instance: Instance, integration: Integration, capabilities?: Capabilities): ShardUses {
  const notes: string[] = [];
  const uses = integration.managed.flatMap((entry) => {
    const { shards, findings } = expandShards(instance, integration, entry, capabilities);
    const fault = findings.find(({ severity }) => severity === 'error');
    if (fault !== undefined) {
      notes.push(`shards in ${placeOf(entry)} are skipped: ${fault.message}`);
      return [];
    }
    return shards.map((shard) => useOf(instance, entry, shard));
  });
  return { uses, notes };
}

function useOf(instance: Instance, entry: Managed, shard: Shard): ShardUse {
  const { disabled, imageRef, imageFrom } = shard.settings;
  const unit = unitOf(instance, strategyOf(entry.sharding.strategy), shard);
  return {
    place: placeOf(entry),
    disabled,
    imageFrom,
    ...defined({ unit, imageRef }),
  };
}

/** Sub-shards have the unit of the shard that they divide. */
function unitOf(instance: Instance, strategy: Strategy | undefined, { key }: Shard): Unit | undefined {
  const item = strategy?.items?.(instance).find((candidate) => candidate.key === key);
  if (strategy?.flag === undefined || item === undefined) return undefined;
  return { flag: strategy.flag, argument: item.argument, name: item.name };
}

function placeOf({ namespace: { environment, cluster, name } }: Managed): string {
  return `${environment.name} ${cluster.name}/${name}`;
}
