import { count, defined, EchelonError, shortDigests } from '../../base/index.ts';
import {
  type Instance,
  type Integration,
  isOfUpstream,
  type Managed,
  type TagChange,
  tagChanges,
} from '../../instance/index.ts';
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

/** The working tree, and the instance at the last commit that it shares with the target branch. */
interface LocalPins {
  readonly here: Instance;
  readonly shared: Instance;
}

const FEW = 3;

/** Shards that a plan for the target branch moves, but that pins hold which were added only in the working tree. Pure. */
export function heldOnlyHere(moving: readonly ShardMove[], { here, shared }: LocalPins): ShardMove[] {
  const concerned = new Set(moving.map(({ integration }) => integration));
  const [local, common] = [pinsOf(here, concerned), pinsOf(shared, concerned)];
  return moving.flatMap((move) => {
    const pin = local.get(idOf(move));
    return pin === undefined || common.has(idOf(move)) ? [] : [{ ...move, pin }];
  });
}

export function unmergedPinNotes(held: readonly ShardMove[], branch: string): Note[] {
  return held.map(({ integration, shard, environment, file, pin }) => ({
    rule: 'pin-not-merged',
    message: `${integration} ${shard} in ${environment} moves: its pin ${pin} is not on ${branch}`,
    hint: hintFor(branch),
    at: file,
  }));
}

export function requirePinsMerged(held: readonly ShardMove[], branch: string): void {
  if (held.length === 0) return;
  const names = held.slice(0, FEW).map(({ integration, shard }) => `${integration} ${shard}`);
  const more = held.length > FEW ? ` and ${held.length - FEW} more` : '';
  throw new EchelonError({
    code: 'PROMOTION_PINS_UNMERGED',
    message: `${count(held.length, 'shard')} would move although pinned here: the pins of ${names.join(', ')}${more} are not on ${branch}, where the promotion starts. Nothing was changed`,
    hint: hintFor(branch),
  });
}

function hintFor(branch: string): string {
  return `merge the pins into ${branch} first, or commit them and pass --from-head to promote on top of them; if ${branch} no longer has them on purpose, update this clone`;
}

function pinsOf(instance: Instance, integrations: ReadonlySet<string>): ReadonlyMap<string, string> {
  const pins = instance.integrations
    .filter(({ name }) => integrations.has(name))
    .flatMap((integration) =>
      integration.managed.flatMap((entry) => {
        const environment = entry.namespace.environment.name;
        return expandShards(instance, integration, entry).shards.flatMap((shard) => {
          const { imageRef } = shard.settings;
          const id = idOf({ integration: integration.name, environment, object: objectName(integration, shard) });
          return imageRef === undefined ? [] : [[id, imageRef] as const];
        });
      }),
    );
  return new Map(pins);
}

function idOf({ integration, environment, object }: Pick<ShardMove, 'integration' | 'environment' | 'object'>): string {
  return JSON.stringify([integration, environment, object]);
}
