import { didYouMean, withArticle } from '../base/index.ts';
import type { Finding, Instance, Integration, Managed, ShardOverride } from '../instance/index.ts';
import { type ShardItem, STRATEGIES, type Strategy, strategyOf } from './strategies.ts';

/** Candidates that a hint lists by name. */
const MOST_NAMED = 3;

type Told = Pick<Finding, 'rule' | 'message' | 'hint'>;

/** Overrides must name shards that exist; a typo would otherwise leave the shard as it is and say nothing. */
export function checkOverrides(instance: Instance): Finding[] {
  return instance.integrations.flatMap((integration) =>
    integration.managed.flatMap((entry) => checkEntry(instance, integration, entry)),
  );
}

function checkEntry(instance: Instance, integration: Integration, entry: Managed): Finding[] {
  const at = { severity: 'error', path: integration.file } as const;
  const keys = [...entry.keys, 'sharding'];
  const strategy = strategyOf(entry.sharding.strategy);
  if (strategy === undefined) {
    return [{ ...at, keys: [...keys, 'strategy'], ...unknownStrategy(entry.sharding.strategy) }];
  }
  const seen = new Map<string, number>();
  return entry.sharding.overrides.flatMap((override, index): Finding[] => {
    const found = selected(instance, strategy, entry, override);
    const told = found !== undefined && 'item' in found ? faultOf(found.item, integration, seen, index) : found;
    return told === undefined ? [] : [{ ...at, keys: [...keys, 'shardSpecOverrides', index, 'shard'], ...told }];
  });
}

function unknownStrategy(name: string): Told {
  const known = STRATEGIES.map(({ id }) => id);
  return {
    rule: 'unknown-strategy',
    message: `${name} is not a sharding strategy`,
    hint: didYouMean(name, known, `use one of ${known.join(', ')}`),
  };
}

/** The item that an override names, or why there is none; nothing where its own file is at fault. */
function selected(
  instance: Instance,
  strategy: Strategy,
  entry: Managed,
  { shard }: ShardOverride,
): { item: ShardItem } | Told | undefined {
  const items = strategy.items?.(instance) ?? staticItems(entry.sharding.shards ?? 1);
  const wanted = shard.by === 'ref' ? shard.path : shard.by === 'name' ? shard.name : String(shard.id);
  const item = items.find(({ name, file }) => wanted === (shard.by === 'ref' ? file : name));
  if (item !== undefined) return { item };
  if (shard.by === 'ref' && isReported(instance, shard.path)) return undefined;
  const candidates = items.map(({ name, file }) => (shard.by === 'ref' ? file : name));
  return {
    rule: 'override-unknown-shard',
    message: `the override is for ${wanted}, which is not ${withArticle(strategy.what)} of ${strategy.id} sharding`,
    hint: hintFor(strategy, wanted, candidates),
  };
}

/** A file that is absent, unreadable or wrong is reported by itself; that it is no shard is a consequence. */
function isReported({ snapshot, findings }: Instance, path: string): boolean {
  if (!snapshot.datafiles.has(path)) return true;
  return findings.some((finding) => finding.path === path && finding.severity === 'error');
}

function hintFor({ what, items }: Strategy, wanted: string, candidates: readonly string[]): string {
  if (items === undefined) return `name a shard by its id, 0 to ${candidates.length - 1}`;
  if (candidates.length === 0) return `there is no ${what} in this instance`;
  const all = candidates.length <= MOST_NAMED ? candidates.join(', ') : `the ${candidates.length} ${what}s`;
  return didYouMean(wanted, candidates, `name one of ${all}`);
}

function staticItems(shards: number): ShardItem[] {
  return Array.from({ length: shards }, (_, id) => ({ name: String(id), file: '', disabledIntegrations: [] }));
}

function faultOf(item: ShardItem, { name }: Integration, seen: Map<string, number>, index: number): Told | undefined {
  const earlier = seen.get(item.name);
  seen.set(item.name, earlier ?? index);
  if (earlier !== undefined) {
    return {
      rule: 'override-duplicate',
      message: `${item.name} has an override already, entry ${earlier + 1} of the list`,
      hint: 'merge the two',
    };
  }
  if (!item.disabledIntegrations.includes(name)) return undefined;
  return {
    rule: 'override-disabled-shard',
    message: `${item.name} switches ${name} off in its own file, so there is no shard to override`,
    hint: `remove the override, or ${name} from disable.integrations of ${item.name}`,
  };
}
