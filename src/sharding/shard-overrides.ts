import { byText, type Suggest, suggestions, withArticle } from '../base/index.ts';
import type { Finding, Instance, Integration, ShardOverride } from '../instance/index.ts';
import type { Overridden, OverrideFault } from './overridden.ts';
import type { ShardItem, Strategy } from './strategies.ts';
import { notServedEntry, subShardingFault, subShardingFindings } from './sub-sharding.ts';

/** Hints list at most this many candidates by name. */
const MOST_NAMED = 3;

interface ResolvedOverrides {
  /** By the key of the item. */
  readonly byKey: ReadonlyMap<string, ShardOverride>;
  readonly findings: readonly Finding[];
}

/** Overrides must name shards that exist; otherwise a typo would be ignored silently. */
export function resolveOverrides(overridden: Overridden): ResolvedOverrides {
  const { instance, integration, entry, strategy, items } = overridden;
  const byKey = new Map<string, ShardOverride>();
  const position = new Map<string, number>();
  const findings: Finding[] = [];
  if (entry.sharding.overrides.length === 0) return { byKey, findings };
  const known = knownShards(instance, items);
  for (const [index, override] of entry.sharding.overrides.entries()) {
    const item = itemOf(override, known);
    const fault =
      item === undefined
        ? unknownShard(override, strategy, known)
        : (faultOf(item, integration, position.get(item.key)) ?? subShardingFault(override, strategy));
    if (fault !== undefined) {
      const { field = 'shard', ...described } = fault;
      const keys = [...entry.keys, 'sharding', 'shardSpecOverrides', index, field];
      findings.push({ severity: 'error', path: integration.file, keys, ...described });
    } else if (item !== undefined) {
      byKey.set(item.key, override);
      findings.push(...subShardingFindings(index, item, overridden));
    }
    if (item !== undefined && !position.has(item.key)) position.set(item.key, index);
  }
  return { byKey, findings: [...findings, ...notServedEntry(overridden)] };
}

/** Looked up once for all overrides: a fleet has thousands of shards, and as many overrides. */
interface KnownShards {
  readonly byFile: ReadonlyMap<string, ShardItem>;
  readonly byName: ReadonlyMap<string, ShardItem>;
  /** A missing, unreadable or invalid file is reported on its own; that it is not a shard only follows from it. */
  readonly isReported: (path: string) => boolean;
  readonly suggest: Suggest;
  readonly total: number;
}

function knownShards({ snapshot, findings }: Instance, items: readonly ShardItem[]): KnownShards {
  let invalid: ReadonlySet<string> | undefined;
  return {
    byFile: firstBy(items, ({ file }) => file),
    byName: firstBy(items, ({ name }) => name),
    isReported: (path) => {
      invalid ??= new Set(findings.filter(({ severity }) => severity === 'error').map((finding) => finding.path));
      return !snapshot.datafiles.has(path) || invalid.has(path);
    },
    suggest: suggestions(),
    total: items.length,
  };
}

function firstBy(items: readonly ShardItem[], key: (item: ShardItem) => string): ReadonlyMap<string, ShardItem> {
  return new Map(items.toReversed().map((item) => [key(item), item]));
}

function itemOf({ shard }: ShardOverride, { byFile, byName }: KnownShards): ShardItem | undefined {
  if (shard.by === 'ref') return byFile.get(shard.path);
  return byName.get(shard.by === 'name' ? shard.name : String(shard.id));
}

function unknownShard({ shard }: ShardOverride, strategy: Strategy, known: KnownShards): OverrideFault {
  const wanted = shard.by === 'ref' ? shard.path : shard.by === 'name' ? shard.name : String(shard.id);
  const candidates = shard.by === 'ref' ? known.byFile : known.byName;
  const consequence = shard.by === 'ref' && known.isReported(shard.path);
  return {
    rule: consequence ? 'override-unreadable-shard' : 'override-unknown-shard',
    message: consequence
      ? `the override is for ${wanted}, which is missing or cannot be read`
      : `the override is for ${wanted}, which is not ${withArticle(strategy.what)} of ${strategy.id} sharding`,
    hint: hintFor(strategy, wanted, candidates, known),
  };
}

function hintFor(
  { what, items }: Strategy,
  wanted: string,
  candidates: ReadonlyMap<string, ShardItem>,
  { suggest, total }: KnownShards,
): string {
  if (items === undefined) return `use a shard id from 0 to ${total - 1}`;
  if (candidates.size === 0) return `this instance has no ${what}`;
  const all =
    candidates.size <= MOST_NAMED
      ? [...candidates.keys()].toSorted(byText).join(', ')
      : `the ${candidates.size} ${what}s`;
  return suggest(wanted, candidates, `use one of: ${all}`);
}

function faultOf(item: ShardItem, { name }: Integration, earlier: number | undefined): OverrideFault | undefined {
  if (earlier !== undefined) {
    return {
      rule: 'override-duplicate',
      message: `${item.name} already has an override: entry ${earlier + 1} of the list`,
      hint: 'merge the two overrides',
    };
  }
  if (!item.disabledIntegrations.includes(name)) return undefined;
  return {
    rule: 'override-disabled-shard',
    message: `${item.name} disables ${name} in its own file, so it has no shard to override`,
    hint: `remove the override, or remove ${name} from disable.integrations of ${item.name}`,
  };
}
