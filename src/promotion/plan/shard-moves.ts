import { defined, shortDigests } from '../../base/index.ts';
import type { Instance, Integration, Managed } from '../../instance/index.ts';
import { isOfUpstream, type TagChange, tagChanges } from '../../instance/index.ts';
import { expandShards, objectName, type Shard, workloadOf } from '../../sharding/index.ts';
import type { Note } from '../ports.ts';

/** A shard whose environment gets a new default image. */
export interface ShardMove {
  readonly integration: string;
  readonly environment: string;
  readonly shard: string;
  readonly object: string;
  readonly workload: ReturnType<typeof workloadOf>;
  readonly before: string;
  readonly after: string;
  /** The pin, if any. */
  readonly pin?: string;
  /** Where the pin is declared. */
  readonly file: string;
}

export interface ShardMoves {
  readonly moving: readonly ShardMove[];
  /** Shards held by pins. */
  readonly held: readonly ShardMove[];
}

/** Which shards a data change moves to another image, and which stay. Ignores disabled shards. */
export function shardMoves(before: Instance, after: Instance): ShardMoves {
  const moves = tagChanges(before, after).flatMap((change) => movesOf(after, change));
  return {
    moving: moves.filter(({ pin }) => pin === undefined),
    held: moves.filter(({ pin }) => pin !== undefined),
  };
}

function movesOf(instance: Instance, change: TagChange): ShardMove[] {
  return instance.integrations
    .filter((integration) => isOfUpstream(integration, change.upstream))
    .flatMap((integration) =>
      integration.managed
        .filter(({ namespace }) => namespace.environment.name === change.environment)
        .flatMap((entry) =>
          expandShards(instance, integration, entry)
            .shards.filter(({ settings }) => !settings.disabled)
            .map((shard) => moveOf(integration, entry, shard, change)),
        ),
    );
}

function moveOf(
  integration: Integration,
  entry: Managed,
  shard: Shard,
  { environment, before, after }: TagChange,
): ShardMove {
  const pin = shard.settings.imageRef;
  return {
    integration: integration.name,
    environment,
    shard: shard.name,
    object: objectName(integration, shard),
    workload: workloadOf(entry),
    before,
    after,
    ...defined({ pin }),
    file: `data${integration.file}`,
  };
}

/** Echelon keeps a CronJob at its pin; the existing manager gives it the default image anyway. */
export function cronNotes({ held }: ShardMoves): Note[] {
  return held
    .filter(({ workload }) => workload === 'CronJob')
    .map(({ object, environment, pin = '', after, file }) => ({
      rule: 'cron-pin',
      message: `${object} in ${environment} is a CronJob: Echelon keeps it at its pin ${shortDigests(pin)}, the existing manager ignores the pin and moves it to ${after}`,
      hint: 'suspend it, or remove the pin, if the existing manager operates it',
      at: file,
    }));
}
