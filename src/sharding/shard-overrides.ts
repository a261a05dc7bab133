import { didYouMean, withArticle } from '../base/index.ts';
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
  for (const [index, override] of entry.sharding.overrides.entries()) {
    const item = itemOf(override, items);
    const fault =
      item === undefined
        ? unknownShard(instance, override, strategy, items)
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

function itemOf({ shard }: ShardOverride, items: readonly ShardItem[]): ShardItem | undefined {
  if (shard.by === 'ref') return items.find(({ file }) => file === shard.path);
  const name = shard.by === 'name' ? shard.name : String(shard.id);
  return items.find((item) => item.name === name);
}

function unknownShard(
  instance: Instance,
  { shard }: ShardOverride,
  strategy: Strategy,
  items: readonly ShardItem[],
): OverrideFault {
  const wanted = shard.by === 'ref' ? shard.path : shard.by === 'name' ? shard.name : String(shard.id);
  const candidates = items.map(({ name, file }) => (shard.by === 'ref' ? file : name));
  const consequence = shard.by === 'ref' && isReported(instance, shard.path);
  return {
    rule: consequence ? 'override-unreadable-shard' : 'override-unknown-shard',
    message: consequence
      ? `the override is for ${wanted}, which is missing or cannot be read`
      : `the override is for ${wanted}, which is not ${withArticle(strategy.what)} of ${strategy.id} sharding`,
    hint: hintFor(strategy, wanted, candidates),
  };
}

/** A missing, unreadable or invalid file is reported on its own; that it is not a shard only follows from it. */
function isReported({ snapshot, findings }: Instance, path: string): boolean {
  if (!snapshot.datafiles.has(path)) return true;
  return findings.some((finding) => finding.path === path && finding.severity === 'error');
}

function hintFor({ what, items }: Strategy, wanted: string, candidates: readonly string[]): string {
  if (items === undefined) return `use a shard id from 0 to ${candidates.length - 1}`;
  if (candidates.length === 0) return `this instance has no ${what}`;
  const all = candidates.length <= MOST_NAMED ? candidates.join(', ') : `the ${candidates.length} ${what}s`;
  return didYouMean(wanted, candidates, `use one of: ${all}`);
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
