import { createHash } from 'node:crypto';

export type Json = Record<string, unknown>;

/** A bundle as the server holds it: datafiles carry their `path`. */
export interface LoadedBundle {
  sha256: string;
  graphql: unknown;
  commit: { commit: string; timestamp: string };
  datafiles: ReadonlyMap<string, Json>;
  resources: ReadonlyMap<string, Json>;
  bySchema: ReadonlyMap<unknown, readonly Json[]>;
  /** Back references by schema and attribute, then by the path referred to; filled as they are asked. */
  referrers: Map<string, ReadonlyMap<unknown, readonly Json[]>>;
}

interface BundleFile {
  data: Record<string, Json>;
  resources: Record<string, Json>;
  graphql: unknown;
  git_commit: string;
  git_commit_timestamp: string;
}

export function loadBundle(text: string): LoadedBundle {
  const file = JSON.parse(text) as BundleFile;
  const datafiles = new Map(Object.entries(file.data).map(([path, datafile]) => [path, { ...datafile, path }]));
  return {
    sha256: createHash('sha256').update(text).digest('hex'),
    graphql: file.graphql,
    commit: { commit: file.git_commit, timestamp: file.git_commit_timestamp },
    datafiles,
    resources: new Map(Object.entries(file.resources)),
    bySchema: Map.groupBy(datafiles.values(), (datafile: Json) => datafile.$schema),
    referrers: new Map(),
  };
}

export function datafilesOf(bundle: LoadedBundle, schema: string): readonly Json[] {
  return bundle.bySchema.get(schema) ?? [];
}

export function isDatafile(bundle: LoadedBundle, value: Json): boolean {
  return typeof value.path === 'string' && bundle.datafiles.get(value.path) === value;
}

/** The datafiles of a schema that refer to `path` by the dotted attribute, each once, in bundle order. */
export function referrersOf(bundle: LoadedBundle, schema: string, attribute: string, path: unknown): readonly Json[] {
  const key = `${schema} ${attribute}`;
  const index = bundle.referrers.get(key) ?? indexReferrers(datafilesOf(bundle, schema), attribute.split('.'));
  bundle.referrers.set(key, index);
  return index.get(path) ?? [];
}

function indexReferrers(datafiles: readonly Json[], keys: readonly string[]): ReadonlyMap<unknown, readonly Json[]> {
  const references = datafiles.flatMap((datafile) => {
    const targets = new Set(
      valuesAt(datafile, keys).flatMap((value) => (isJson(value) && value.$ref ? [value.$ref] : [])),
    );
    return [...targets].map((target) => ({ target, datafile }));
  });
  const grouped = Map.groupBy(references, ({ target }) => target);
  return new Map(grouped.entries().map(([target, from]) => [target, from.map(({ datafile }) => datafile)]));
}

/** The values at a key path, arrays flattened at every level; nulls and refs on the way lead nowhere. */
function valuesAt(value: unknown, keys: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, keys));
  const [key, ...rest] = keys;
  if (key === undefined) return [value];
  return isJson(value) ? valuesAt(value[key], rest) : [];
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
