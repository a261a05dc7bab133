import { didYouMean, withArticle } from '../../base/index.ts';
import type { ShardOverride } from '../../instance/index.ts';
import type { ShardItem } from '../../sharding/index.ts';
import { environmentOf, pinError, type ShardedEntry } from './select-entries.ts';

/** Selects shards by name, key or file path. */
export type ShardChoice =
  | { readonly shards: readonly string[] }
  | { readonly except: readonly string[] }
  | { readonly all: true };

/** The selected items, ordered by key; an unknown name is an error with similar names. */
export function selectShards(sharded: ShardedEntry, choice: ShardChoice): ShardItem[] {
  if ('all' in choice) return [...sharded.items];
  const names = 'shards' in choice ? choice.shards : choice.except;
  const named = new Set(names.map((name) => itemOf(sharded, name)));
  return sharded.items.filter((item) => named.has(item) === 'shards' in choice);
}

function itemOf(sharded: ShardedEntry, name: string): ShardItem {
  const { items, strategy, integration, entry } = sharded;
  const path = name.startsWith('data/') ? name.slice('data'.length) : name;
  const byFile = items.filter(({ file }) => file === path);
  const found = byFile.length > 0 ? byFile : items.filter((item) => item.name === name || item.key === name);
  const [only, again] = found;
  if (only === undefined) {
    const candidates = path.startsWith('/')
      ? items.map(({ file }) => file)
      : items.flatMap((item) => [item.name, item.key]);
    const message = `${integration.name} in ${environmentOf(entry)} has no shard ${name}`;
    throw pinError(
      'SHARD_UNKNOWN',
      message,
      didYouMean(
        name,
        candidates,
        `use ${withArticle(strategy.what)}; list them with: echelon get shards -i ${integration.name}`,
      ),
    );
  }
  if (again === undefined) return only;
  const files = found.map(({ file }) => file).join(' and ');
  throw pinError('SHARD_AMBIGUOUS', `${name} is the name of ${files}`, 'select the shard by its file path');
}

/** The index of an item's override; more than one override is an error. */
export function overrideIndex({ entry, integration }: ShardedEntry, item: ShardItem): number | undefined {
  const found = [...entry.sharding.overrides.entries()].filter(([, override]) => isFor(override, item));
  const [only, again] = found;
  if (again === undefined) return only?.[0];
  const message = `data${integration.file} has ${found.length} overrides of ${item.name}`;
  throw pinError('OVERRIDE_DUPLICATE', message, 'merge them first');
}

export function isFor({ shard }: ShardOverride, { file, name }: ShardItem): boolean {
  if (shard.by === 'ref') return shard.path === file;
  return (shard.by === 'name' ? shard.name : String(shard.id)) === name;
}
