import { byText, didYouMean } from '../base/index.ts';
import type { Finding, Instance, Integration, Managed, ShardOverride } from '../instance/index.ts';
import { type Capabilities, understands, withOwn } from './capabilities.ts';
import { membershipFindings } from './membership-capability.ts';
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
  const findings = [
    ...overrides.findings,
    ...flagFindings(integration, entry, strategy, known),
    ...membershipFindings(integration, entry, known),
  ];
  const plain = shardOf(entry, strategy);
  const shards: Shard[] = [];
  for (const item of items) {
    if (item.disabledIntegrations.includes(integration.name)) continue;
    const override = overrides.byKey.get(item.key);
    if (override === undefined) shards.push(plain(item));
    else shards.push(...overriddenShards(entry, plain(item), override));
  }
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

/** The shard of an item without an override; what is the same for every item is computed once for thousands. */
function shardOf(entry: Managed, strategy: Strategy): (item: ShardItem) => Shard {
  const { membership, shards = 1 } = entry.sharding;
  const settings = settingsOf(entry.spec, undefined);
  const shared = membership === 'rendezvous' ? { membership, settings } : { settings };
  return (item) => {
    const { name, suffix, reference } = item;
    const extraArgs = argumentsOf(entry, strategy, item);
    return strategy.flag === undefined
      ? { key: '', name, suffix, extraArgs, reference, part: { id: Number(item.key), shards }, ...shared }
      : { key: item.key, name, suffix, extraArgs, reference, ...shared };
  };
}

function overriddenShards({ spec }: Managed, plain: Shard, override: ShardOverride): readonly Shard[] {
  const { shard: _, subSharding, ...kept } = override;
  const whole: Shard = { ...plain, override: kept, settings: settingsOf(spec, kept) };
  if (subSharding === undefined) return [whole];
  const parts = subSharding.shards ?? 1;
  return Array.from({ length: parts }, (_part, id) => ({
    ...whole,
    part: { id, shards: parts },
    name: `${whole.name}-${id}`,
    suffix: `${whole.suffix}-${id}`,
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
