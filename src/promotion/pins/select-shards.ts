import { byText, didYouMean, EchelonError, isJson, withArticle } from '../../base/index.ts';
import type { Instance, Integration, Managed, ShardOverride } from '../../instance/index.ts';
import { type ShardItem, type Strategy, strategyOf } from '../../sharding/index.ts';

/** Selects managed entries of an integration. */
export interface EntryChoice {
  readonly environments?: readonly string[];
  /** `NAMESPACE` or `CLUSTER/NAMESPACE`. */
  readonly namespaces?: readonly string[];
  /** Allow several matches. */
  readonly allEnvironments?: boolean;
}

/** A managed entry whose shards can have overrides. */
export interface ShardedEntry {
  readonly integration: Integration;
  readonly entry: Managed;
  readonly strategy: Strategy;
  /** The shard items of this integration, ordered by key. */
  readonly items: readonly ShardItem[];
}

export function integrationOf({ integrations }: Instance, name: string): Integration {
  const [found, again] = integrations.filter((one) => one.name === name);
  if (found === undefined) {
    const hint = didYouMean(
      name,
      integrations.map((one) => one.name),
      'list them with: echelon get integrations',
    );
    throw pinError('INTEGRATION_UNKNOWN', `no integration ${name} in this instance`, hint);
  }
  if (again === undefined) return found;
  const message = `data${found.file} and data${again.file} both declare ${name}`;
  throw pinError('INTEGRATION_AMBIGUOUS', message, 'rename one of them');
}

/** The selected entries; several only if the choice allows it. */
export function selectEntries(instance: Instance, integration: Integration, choice: EntryChoice): ShardedEntry[] {
  const { environments, namespaces } = choice;
  requireKnown('environment', environments, integration.managed.map(environmentOf), integration);
  requireKnown('namespace', namespaces, integration.managed.flatMap(namespacesOf), integration);
  const found = integration.managed.filter(
    (entry) =>
      (environments?.includes(environmentOf(entry)) ?? true) &&
      (namespaces?.some((name) => namespacesOf(entry).includes(name)) ?? true),
  );
  if (found.length === 0) {
    const hint = 'list where it runs with: echelon get integrations -o wide';
    throw pinError('PIN_NOWHERE', `${integration.name} is not managed there`, hint);
  }
  const isKeyed = ({ sharding }: Managed): boolean => strategyOf(sharding.strategy)?.items !== undefined;
  if (found.length > 1 && choice.allEnvironments !== true && found.some(isKeyed)) throw ambiguous(integration, found);
  return found.map((entry) => shardedEntry(instance, integration, entry));
}

function requireKnown(
  what: string,
  names: readonly string[] | undefined,
  known: readonly string[],
  { name: integration }: Integration,
): void {
  for (const name of names ?? []) {
    if (known.includes(name)) continue;
    const hint = didYouMean(
      name,
      known,
      known.length === 0 ? 'it is not managed' : `use one of: ${[...new Set(known)].join(', ')}`,
    );
    throw pinError(`${what.toUpperCase()}_UNKNOWN`, `${integration} does not run in ${what} ${name}`, hint);
  }
}

function ambiguous({ name }: Integration, found: readonly Managed[]): EchelonError {
  const environments = [...new Set(found.map(environmentOf))];
  const places = found.map((entry) => `${environmentOf(entry)} (${clusterNamespace(entry)})`).join(', ');
  const how =
    environments.length === found.length
      ? `choose one with --environment ${environments.join('|')}, or select all with --all-environments`
      : 'choose one with --environment or --namespace CLUSTER/NAMESPACE, or select all with --all-environments';
  return pinError('PIN_AMBIGUOUS', `${name} is managed in several places: ${places}`, how);
}

function shardedEntry(instance: Instance, integration: Integration, entry: Managed): ShardedEntry {
  refuseOldSpelling(instance, integration, entry);
  const strategy = strategyOf(entry.sharding.strategy);
  if (strategy?.items === undefined) {
    const where = `${integration.name} in ${environmentOf(entry)}`;
    const what =
      strategy === undefined
        ? `unknown sharding ${entry.sharding.strategy}`
        : 'no named shards (static sharding, or none)';
    const hint = 'pin the whole integration with spec.imageRef, or use a strategy such as per-aws-account';
    throw pinError('PIN_STATIC', `${where} has ${what}; nothing to pin`, hint);
  }
  const items = strategy
    .items(instance)
    .filter(({ disabledIntegrations }) => !disabledIntegrations.includes(integration.name))
    .toSorted((a, b) => byText(a.key, b.key));
  return { integration, entry, strategy, items };
}

/** With the old spellings, overrides are elsewhere in the file. */
function refuseOldSpelling({ snapshot }: Instance, { file }: Integration, { keys }: Managed): void {
  let value: unknown = snapshot.datafiles.get(file)?.content;
  for (const key of keys) value = (value as Record<string | number, unknown> | undefined)?.[key];
  const entry = isJson(value) ? value : {};
  const spec = isJson(entry['spec']) ? entry['spec'] : {};
  const old = [
    ...['shardSpecOverride', 'shardSpecOverrides'].filter((key) => entry[key] !== undefined),
    ...['sharding', 'shardingStrategy'].filter((key) => spec[key] !== undefined).map((key) => `spec.${key}`),
  ];
  if (old.length === 0) return;
  const message = `data${file} uses the old spelling ${old.join(', ')}`;
  throw pinError(
    'PIN_OLD_SPELLING',
    message,
    'migrate to sharding.strategy and sharding.shardSpecOverrides next to spec first',
  );
}

export function environmentOf({ namespace }: Managed): string {
  return namespace.environment.name;
}

/** `cluster/namespace`. */
export function clusterNamespace({ namespace }: Managed): string {
  return `${namespace.cluster.name}/${namespace.name}`;
}

function namespacesOf(entry: Managed): string[] {
  return [entry.namespace.name, clusterNamespace(entry)];
}

export function pinError(code: string, message: string, hint: string): EchelonError {
  return new EchelonError({ code, message, hint });
}

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
