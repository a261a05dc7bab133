import { defined, isJson, type Json } from '../../base/index.ts';
import type { Finding } from '../problem.ts';
import type { KeyPath } from '../yaml/source-tree.ts';

type Deprecation = Pick<Finding, 'rule' | 'severity' | 'keys' | 'message' | 'hint'> & { readonly at: 'key' };

interface Normalised {
  readonly content: Json;
  readonly deprecations: readonly Deprecation[];
}

/**
 * Rewrites the older spellings of the design documents to the current form:
 * `operate` is `managed`; `spec.shards`, `spec.shardingStrategy`, `shardSpecOverride(s)` beside `spec` and `sharding`
 * inside `spec` are `sharding` beside `spec`. The current form wins where both are present.
 */
export function normaliseIntegration(content: Json): Normalised {
  const deprecations: Deprecation[] = [];
  const list = content['managed'] === undefined ? 'operate' : 'managed';
  if (content['operate'] !== undefined) deprecations.push(deprecated(['operate'], 'managed'));
  const entries = content[list];
  if (!Array.isArray(entries)) return { content, deprecations };
  const managed = entries.map((entry, index) => normaliseEntry(entry, [list, index], deprecations));
  const { operate: _, ...rest } = content;
  return { content: { ...rest, managed }, deprecations };
}

function deprecated(keys: KeyPath, now: string): Deprecation {
  return {
    rule: 'old-spelling',
    severity: 'warning',
    keys,
    at: 'key',
    message: `${String(keys.at(-1))} is deprecated`,
    hint: `use ${now}`,
  };
}

function normaliseEntry(entry: unknown, keys: KeyPath, deprecations: Deprecation[]): unknown {
  if (!isJson(entry) || !isJson(entry['spec'])) return entry;
  const { shardSpecOverride, shardSpecOverrides, ...outer } = entry;
  const { shards, shardingStrategy, sharding: inner, ...spec } = entry['spec'];
  const old = { shardSpecOverride, shardSpecOverrides };
  const oldSpec = { shards, shardingStrategy, sharding: inner };
  const found = [
    ...named(old).map((key) => deprecated([...keys, key], 'sharding.shardSpecOverrides')),
    ...named(oldSpec).map((key) => deprecated([...keys, 'spec', key], NOW[key] ?? 'sharding')),
  ];
  if (found.length === 0) return entry;
  for (const one of found) deprecations.push(one);
  return { ...outer, spec, sharding: gathered(entry['sharding'], inner, { shards, shardingStrategy, old }) };
}

const NOW: Readonly<Record<string, string>> = {
  shards: 'sharding.shards beside spec',
  shardingStrategy: 'sharding.strategy beside spec',
  sharding: 'sharding beside spec',
};

/** A value that is not a mapping is left unchanged and reported where it is read. */
function gathered(
  beside: unknown,
  inside: unknown,
  loose: { shards: unknown; shardingStrategy: unknown; old: Json },
): unknown {
  const given = beside ?? inside;
  if (given !== undefined && !isJson(given)) return given;
  const overrides = loose.old['shardSpecOverride'] ?? loose.old['shardSpecOverrides'];
  return {
    strategy: loose.shardingStrategy ?? 'static',
    ...defined({ shards: loose.shards, shardSpecOverrides: overrides }),
    ...(isJson(inside) ? inside : {}),
    ...(isJson(beside) ? beside : {}),
  };
}

function named(values: Json): string[] {
  return Object.keys(values).filter((key) => values[key] !== undefined);
}
