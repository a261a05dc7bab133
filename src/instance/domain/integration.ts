import type * as z from 'zod';
import { defined, isJson, type Json } from '../../base/index.ts';
import type { Finding, KeyPath } from '../problem.ts';
import type { Datafile } from '../snapshot.ts';
import * as shape from './integration-shape.ts';
import type { Namespace } from './namespace.ts';
import { parsed, type ReadContext, report, unknownFields } from './reading.ts';

export type IntegrationSpec = z.infer<typeof shape.spec>;
type PrCheck = z.infer<typeof shape.prCheck>;

/** How an override refers to its shard: by the path of a datafile, by name, or by the id of a static shard. */
type ShardSelector =
  | { readonly by: 'ref'; readonly path: string }
  | { readonly by: 'name'; readonly name: string }
  | { readonly by: 'id'; readonly id: number };

export interface ShardOverride extends Omit<z.infer<typeof shape.override>, 'shard'> {
  readonly shard: ShardSelector;
}

interface Sharding {
  readonly strategy: string;
  readonly shards?: number;
  readonly membership?: 'md5' | 'rendezvous';
  readonly overrides: readonly ShardOverride[];
}

/** A namespace where an integration runs, and how it runs there. */
export interface Managed {
  /** Its key path in the integration's file, for messages. */
  readonly keys: KeyPath;
  readonly namespace: Namespace;
  readonly spec: IntegrationSpec;
  readonly sharding: Sharding;
}

export interface Integration {
  readonly file: string;
  readonly name: string;
  readonly description: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly upstream?: string;
  readonly schemas: readonly string[];
  /** Flags that the integration's command supports, as declared in its file. */
  readonly capabilities?: readonly string[];
  readonly prCheck?: PrCheck;
  readonly managed: readonly Managed[];
}

const UNSHARDED: Sharding = { strategy: 'static', shards: 1, overrides: [] };

type NamespaceContext = ReadContext<{ namespaces: Namespace }>;

/** An invalid `managed` entry is reported and left out, the others stay. */
export function asIntegration(
  raw: z.infer<typeof shape.integration>,
  file: Datafile,
  context: NamespaceContext,
): Integration {
  const { content, deprecations } = normaliseIntegration(file.content);
  report(
    context,
    deprecations.map((found) => ({ ...found, path: file.path })),
  );
  const { $schema: _, operate: __, ...fields } = file.content;
  report(context, unknownFields(file.path, [], fields, shape.integration));
  return {
    file: file.path,
    name: raw.name,
    description: raw.description,
    labels: raw.labels,
    ...defined({ upstream: raw.upstream }),
    schemas: raw.schemas,
    ...defined({ capabilities: raw.capabilities, prCheck: raw.pr_check }),
    managed: readManaged(context, file, content['managed']),
  };
}

function readManaged(context: NamespaceContext, file: Datafile, entries: unknown): readonly Managed[] {
  const list = file.content['managed'] === undefined ? 'operate' : 'managed';
  const given = entries ?? file.content[list];
  if (!Array.isArray(given)) {
    if (given !== undefined) context.findings.push(notAList(file.path, list));
    return [];
  }
  const managed: Managed[] = [];
  let shards = 0;
  for (const [index, entry] of given.entries()) {
    const read = readEntry(context, file.path, entry, [list, index]);
    if (read === undefined) continue;
    shards += declaredShards(read.sharding);
    if (shards <= MAX_SHARDS_OF_FILE) managed.push(read);
    else context.findings.push(tooManyShards(file.path, read.keys));
  }
  return managed;
}

/** Far more pods than anyone runs of one integration; each entry may have a thousand. */
const MAX_SHARDS_OF_FILE = 20_000;

function declaredShards({ shards = 1, overrides }: Sharding): number {
  return overrides.reduce((sum, { subSharding }) => sum + (subSharding?.shards ?? 0), shards);
}

function tooManyShards(path: string, keys: KeyPath): Finding {
  return {
    rule: 'bad-shard-count',
    severity: 'error',
    path,
    keys,
    message: `with this entry the file declares more than ${MAX_SHARDS_OF_FILE} shards`,
    hint: 'declare fewer shards, or split the integration',
  };
}

function notAList(path: string, list: string): Finding {
  return {
    rule: 'wrong-type',
    severity: 'error',
    path,
    keys: [list],
    message: `${list} must be a list`,
    hint: 'use a list with one entry per namespace',
  };
}

function readEntry(context: NamespaceContext, path: string, entry: unknown, keys: KeyPath): Managed | undefined {
  report(context, unknownInEntry(path, keys, entry));
  const raw = parsed(context, path, shape.managed, entry, keys);
  const target = targetOf(entry);
  const namespace =
    target === undefined ? undefined : context.follow('namespaces', target, path, [...keys, 'namespace']);
  const overrides = readOverrides(context, path, entry, [...keys, 'sharding', 'shardSpecOverrides']);
  if (raw === undefined || namespace === undefined || overrides === undefined) return undefined;
  return { keys, namespace, spec: raw.spec, sharding: asSharding(raw.sharding, overrides) };
}

/** Undefined when one of them is invalid: without it its shard would run as another than declared. */
function readOverrides(
  context: ReadContext,
  path: string,
  entry: unknown,
  keys: KeyPath,
): readonly ShardOverride[] | undefined {
  const given = overridesIn(entry);
  const overrides = given.flatMap((override, index): ShardOverride[] => {
    report(context, unknownFields(path, [...keys, index], override, shape.override));
    const raw = parsed(context, path, shape.override, override, [...keys, index]);
    return raw === undefined ? [] : [{ ...raw, shard: selector(raw.shard) }];
  });
  return overrides.length === given.length ? overrides : undefined;
}

function overridesIn(entry: unknown): readonly unknown[] {
  const { sharding } = (entry ?? {}) as { sharding?: { shardSpecOverrides?: unknown } | null };
  const overrides = sharding?.shardSpecOverrides;
  return Array.isArray(overrides) ? overrides : [];
}

/** Resolved even when the rest of the entry is invalid, so that one run reports both problems. */
function targetOf(entry: unknown): string | undefined {
  const result = shape.managed.shape.namespace.safeParse((entry as { namespace?: unknown } | null)?.namespace);
  return result.success ? result.data.$ref : undefined;
}

function unknownInEntry(path: string, keys: KeyPath, entry: unknown) {
  const { spec, sharding } = (entry ?? {}) as { spec?: unknown; sharding?: unknown };
  return [
    ...unknownFields(path, keys, entry, shape.managed),
    ...unknownFields(path, [...keys, 'spec'], spec, shape.spec),
    ...unknownFields(path, [...keys, 'sharding'], sharding, shape.sharding),
  ];
}

function asSharding(raw: z.infer<typeof shape.sharding> | undefined, overrides: readonly ShardOverride[]): Sharding {
  if (raw === undefined) return UNSHARDED;
  const { shardSpecOverrides: _, ...rest } = raw;
  return { ...rest, overrides };
}

function selector(shard: z.infer<typeof shape.override>['shard']): ShardSelector {
  if (typeof shard === 'number') return { by: 'id', id: shard };
  if (typeof shard === 'string') return { by: 'name', name: shard };
  return { by: 'ref', path: shard.$ref };
}

type Deprecation = Omit<Finding, 'path'>;

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
