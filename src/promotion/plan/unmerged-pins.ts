import { count, EchelonError } from '../../base/index.ts';
import type { Instance } from '../../instance/index.ts';
import { expandShards, objectName } from '../../sharding/index.ts';
import type { Note } from '../ports.ts';
import type { ShardMove } from './shard-moves.ts';

/** The working tree, and the instance at the last commit that it shares with the target branch. */
export interface LocalPins {
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
