import { byText, defined, didYouMean } from '../base/index.ts';
import type { Finding, Instance, Integration, Managed, ShardOverride } from '../instance/index.ts';
import { type Capabilities, understands, withOwn } from './capabilities.ts';
import { type Shard, settingsOf } from './shard.ts';
import { resolveOverrides } from './shard-overrides.ts';
import { type ShardItem, STRATEGIES, type Strategy, strategyOf } from './strategies.ts';

/** The shards of one managed entry, ordered by key, or why it has none. */
interface Expansion {
  readonly shards: readonly Shard[];
  /** When one of them is an error, the entry must not be used: its shards are incomplete. */
  readonly findings: readonly Finding[];
}

/** The number of shards depends on the data alone, and their order does not depend on the order of files. */
export function expandShards(
  instance: Instance,
  integration: Integration,
  entry: Managed,
  capabilities: Capabilities = new Map(),
): Expansion {
  const strategy = strategyOf(entry.sharding.strategy);
  if (strategy === undefined) return { shards: [], findings: [unknownStrategy(integration, entry)] };
  const items = strategy.items === undefined ? staticItems(entry) : itemsByKey(instance, strategy);
  const known = withOwn(capabilities, integration);
  const overrides = resolveOverrides({ instance, integration, entry, strategy, items, capabilities: known });
  const findings = [...overrides.findings, ...flagFindings(integration, entry, strategy, known)];
  const shards = items
    .filter(({ disabledIntegrations }) => !disabledIntegrations.includes(integration.name))
    .flatMap((item) => shardsOf(entry, strategy, item, overrides.byKey.get(item.key)));
  return { shards, findings };
}

/** The same for every integration of a strategy: computed once per instance, which is immutable. */
const ITEMS = new WeakMap<Instance, Map<string, readonly ShardItem[]>>();

function itemsByKey(instance: Instance, { id, items }: Strategy): readonly ShardItem[] {
  const known = ITEMS.get(instance) ?? new Map<string, readonly ShardItem[]>();
  ITEMS.set(instance, known);
  const found = known.get(id) ?? (items?.(instance) ?? []).toSorted((a, b) => byText(a.key, b.key));
  known.set(id, found);
  return found;
}

/** Static shards are named by their id and have no key. */
function staticItems({ sharding }: Managed): ShardItem[] {
  const shards = sharding.shards ?? 1;
  return Array.from({ length: shards }, (_, id) => ({
    key: String(id),
    name: String(id),
    file: '',
    disabledIntegrations: [],
    suffix: shards === 1 ? '' : `-${id}`,
    argument: '',
    reference: { name: String(id) },
  }));
}

function shardsOf(
  entry: Managed,
  strategy: Strategy,
  item: ShardItem,
  override: ShardOverride | undefined,
): readonly Shard[] {
  const { shard: _, subSharding, ...rest } = override ?? {};
  const kept = override === undefined ? undefined : rest;
  const whole: Shard = {
    key: strategy.flag === undefined ? '' : item.key,
    name: item.name,
    suffix: item.suffix,
    extraArgs: argumentsOf(entry, strategy, item),
    reference: item.reference,
    ...(entry.sharding.membership === 'rendezvous' ? { membership: 'rendezvous' as const } : {}),
    ...(strategy.flag === undefined ? { part: { id: Number(item.key), shards: entry.sharding.shards ?? 1 } } : {}),
    ...defined({ override: kept }),
    settings: settingsOf(entry.spec, kept),
  };
  if (subSharding === undefined) return [whole];
  const parts = subSharding.shards ?? 1;
  return Array.from({ length: parts }, (_part, id) => ({
    ...whole,
    part: { id, shards: parts },
    name: `${item.name}-${id}`,
    suffix: `${item.suffix}-${id}`,
  }));
}

/** The space before the flag stays even when no other argument precedes it: existing workloads have it. */
function argumentsOf({ spec }: Managed, { flag }: Strategy, { argument }: ShardItem): string {
  const own = spec.extraArgs ?? '';
  return flag === undefined ? own : `${own} ${flag} ${argument}`;
}

function unknownStrategy(integration: Integration, entry: Managed): Finding {
  const name = entry.sharding.strategy;
  const known = STRATEGIES.map(({ id }) => id);
  return {
    rule: 'unknown-strategy',
    severity: 'error',
    path: integration.file,
    keys: [...entry.keys, 'sharding', 'strategy'],
    message: `${name} is not a sharding strategy`,
    hint: didYouMean(name, known, `use one of: ${known.join(', ')}`),
  };
}

/** A shard whose integration does not support the flag would process nothing, or everything. */
function flagFindings(
  integration: Integration,
  entry: Managed,
  strategy: Strategy,
  capabilities: Capabilities,
): Finding[] {
  if (strategy.flag === undefined) return [];
  const answer = understands(integration.name, strategy.flag, capabilities);
  if (answer === 'yes') return [];
  return [
    {
      rule: answer === 'no' ? 'flag-unsupported' : 'flag-unknown',
      severity: answer === 'no' ? 'error' : 'warning',
      path: integration.file,
      keys: [...entry.keys, 'sharding', 'strategy'],
      message:
        answer === 'no'
          ? `${integration.name} does not support ${strategy.flag}, which ${strategy.id} sharding requires`
          : `unknown whether ${integration.name} supports ${strategy.flag}, which ${strategy.id} sharding requires`,
      hint:
        answer === 'no'
          ? 'use another strategy, or add the flag to capabilities in the integration file'
          : `declare it in the integration file: capabilities: ['${strategy.flag}']`,
    },
  ];
}
