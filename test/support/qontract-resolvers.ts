import { type GraphQLResolveInfo, getNullableType, isListType } from 'graphql';
import { datafilesOf, isDatafile, isJson, type Json, type LoadedBundle, referrersOf } from './qontract-bundle.ts';
import { type Conf, type ConfField, type Confs, isResolvedResource } from './qontract-confs.ts';

/** What one request carries: the bundle it asks and the datafile schemas it touched, in first-touch order. */
export interface QueryContext {
  bundle: LoadedBundle;
  schemas: Set<string>;
}

export type Resolver = (source: Json, args: Json, context: QueryContext, info: GraphQLResolveInfo) => unknown;

export function resolverOf(field: ConfField): Resolver {
  const { datafileSchema, synthetic } = field;
  if (datafileSchema !== undefined) {
    return (_, args, { bundle }) => datafilesOf(bundle, datafileSchema).filter((file) => matches(file, args));
  }
  if (synthetic !== undefined) {
    return (source, _, { bundle }) => referrersOf(bundle, synthetic.schema, synthetic.subAttr, source.path);
  }
  if (isResolvedResource(field)) return (source, _, { bundle }) => bundle.resources.get(String(source[field.name]));
  return field.type === 'Resource_v1' && field.isResource ? resolveResources : resolveValue;
}

/** An unknown path gives a list with a hole, hence a non-null error, as the real server does. */
function resolveResources(_: Json, { path, schema }: Json, { bundle }: QueryContext): unknown {
  const found = typeof path === 'string' ? [bundle.resources.get(path)] : [...bundle.resources.values()];
  return typeof schema === 'string' ? found.filter((resource) => resource?.$schema === schema) : found;
}

function matches(datafile: Json, args: Json): boolean {
  return Object.entries(args).every(([name, wanted]) => wanted === null || datafile[name] === wanted);
}

/**
 * The default resolver, the only one that records a touched schema.
 * An explicit null is null here; the real server answers it with an error.
 */
function resolveValue(source: Json, _: Json, { bundle, schemas }: QueryContext, info: GraphQLResolveInfo): unknown {
  if (isDatafile(bundle, source)) schemas.add(String(source.$schema));
  if (info.fieldName === 'schema') return source.$schema;
  const value = source[info.fieldName];
  if (isRef(value)) return dereference(bundle, value);
  if (!Array.isArray(value) || value.length === 0 || !value.every(isRef)) return value;
  const resolved = value.map((ref) => dereference(bundle, ref));
  return isListType(getNullableType(info.returnType)) ? resolved.flat(1) : resolved;
}

function isRef(value: unknown): value is { $ref: string } {
  return isJson(value) && typeof value.$ref === 'string' && Object.keys(value).length === 1;
}

function dereference(bundle: LoadedBundle, { $ref }: { $ref: string }): Json | null {
  return bundle.datafiles.get($ref) ?? null;
}

/** The name of the object type of an interface's value; throws where the real server answers with an error. */
export function typeNameOf(confs: Confs, conf: Conf, value: Json): string {
  const key = discriminatorOf(conf, value);
  const name = conf.interfaceResolve?.strategy === 'schema' ? typeOfSchema(confs, key) : mappedType(conf, key);
  if (name === undefined) throw new Error(`${conf.name} has no type for ${JSON.stringify(key)}`);
  const target = confs.get(name);
  return target?.isInterface ? typeNameOf(confs, target, value) : name;
}

function discriminatorOf({ interfaceResolve }: Conf, value: Json): unknown {
  return value[interfaceResolve?.strategy === 'schema' ? '$schema' : (interfaceResolve?.field ?? '')];
}

function mappedType({ interfaceResolve }: Conf, key: unknown): string | undefined {
  return new Map(Object.entries(interfaceResolve?.fieldMap ?? {})).get(String(key));
}

function typeOfSchema(confs: Confs, schema: unknown): string | undefined {
  return confs.values().find((conf) => conf.datafile !== undefined && conf.datafile === schema)?.name;
}
