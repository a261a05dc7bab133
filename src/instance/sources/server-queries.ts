import * as z from 'zod';
import { disable } from '../domain/fields.ts';
import { ALL_KINDS, KINDS } from '../domain/kinds.ts';

/**
 * The queries to a qontract-server as data: pruned to the types of the server, written as a query,
 * and used again to convert the response to datafiles.
 */
export type Selection = string | SelectedField;

export interface SelectedField {
  readonly name: string;
  /**
   * `json`: JSON as text. `ref`: a datafile, of which only the path is queried. `object`: fields of its own.
   * `refOrInline`: a datafile that may be inlined, such as a saas target: its path is queried with its fields.
   * `namespace`: a datafile that may be a lean namespace, which no root field lists.
   */
  readonly kind: 'json' | 'ref' | 'object' | 'refOrInline' | 'namespace';
  readonly fields?: readonly Selection[];
  /** Fields that only some types of an interface have. */
  readonly on?: Readonly<Record<string, readonly Selection[]>>;
}

export interface RootQuery {
  readonly root: string;
  readonly schema: string;
  readonly fields: readonly Selection[];
}

/** Everything that the readers use, derived from the shapes of files; nothing is cached. */
export function rootQueries(): RootQuery[] {
  return ALL_KINDS.flatMap(({ root, schema, shape, unused = [] }) => {
    if (root === undefined) return [];
    return [{ root, schema, fields: without(shapeFields(shape, root), ...unused) }];
  });
}

function shapeFields(shape: z.ZodType, at = ''): Selection[] {
  return fieldsOf(z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }) as SchemaNode, at);
}

/** The part of JSON Schema that selections follow from. */
interface SchemaNode {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
}

function fieldsOf(node: SchemaNode, at: string): Selection[] {
  return Object.entries(node.properties ?? {}).map(([name, field]) => {
    const path = `${at}.${name}`;
    const derived = selectionOf(name, entryOf(field), path);
    return FORMS[path]?.(name, typeof derived === 'string' ? [] : (derived.fields ?? [])) ?? derived;
  });
}

/** A server has the entries of a list under its name, and of alternatives the first one. */
function entryOf(node: SchemaNode): SchemaNode {
  const inner = node.items ?? node.anyOf?.[0];
  return inner === undefined ? node : entryOf(inner);
}

function selectionOf(name: string, node: SchemaNode, path: string): Selection {
  if (node.type !== 'object') return name;
  if (node.properties === undefined) return { name, kind: 'json' };
  if ('$ref' in node.properties) return { name, kind: 'ref' };
  return { name, kind: 'object', fields: fieldsOf(node, path) };
}

/** Fields that a server has in another form than files, by root and path; each gets the fields of its shape. */
const FORMS: Readonly<Record<string, (name: string, fields: readonly Selection[]) => SelectedField>> = {
  'integrations_v1.managed.namespace': (name) => ({
    name,
    kind: 'namespace',
    fields: shapeFields(KINDS.leanNamespace.shape),
  }),
  'integrations_v1.managed.sharding': (name, fields) => ({
    name,
    kind: 'object',
    fields: ['strategy'],
    on: {
      StaticSharding_v1: without(fields, 'strategy'),
      ...Object.fromEntries(
        Object.values(SHARDING_TYPES).map((type) => [type, without(fields, 'strategy', 'shards', 'membership')]),
      ),
    },
  }),
  'integrations_v1.managed.sharding.shardSpecOverrides.subSharding': (name, fields) => ({
    name,
    kind: 'object',
    fields: ['strategy'],
    on: { StaticSubSharding_v1: without(fields, 'strategy') },
  }),
  'clusters_v1.disable': inlineDisable,
  'awsaccounts_v1.disable': inlineDisable,
  'cloudflare_dns_zone_v1.account': (name) => ({ name, kind: 'ref' }),
  'saas_files_v2.resourceTemplates.targets': (name) => ({
    name,
    kind: 'refOrInline',
    fields: shapeFields(KINDS.saasTarget.shape),
  }),
};

function inlineDisable(name: string): SelectedField {
  return { name, kind: 'object', fields: shapeFields(disable) };
}

function without(fields: readonly Selection[], ...names: readonly string[]): Selection[] {
  return fields.filter((field) => !names.includes(typeof field === 'string' ? field : field.name));
}

/** The strategies with overrides, and their types. */
const SHARDING_TYPES: Readonly<Record<string, string>> = {
  'per-aws-account': 'AWSAccountSharding_v1',
  'per-openshift-cluster': 'OpenshiftClusterSharding_v1',
  'per-ocm-organization': 'OCMOrganizationSharding_v1',
  'per-ocm-environment': 'OCMEnvironmentSharding_v1',
  'per-cloudflare-zone': 'CloudflareDNSZoneSharding_v1',
};

/** Queries the types of a server; five levels of wrapping are more than `[T!]!` needs. */
export const INTROSPECTION = `query EchelonTypes { __schema { queryType { name } types { name fields { name type {
  name ofType { name ofType { name ofType { name ofType { name } } } } } } } } }`;

interface TypeRef {
  readonly name?: string | null;
  readonly ofType?: TypeRef | null;
}

interface Introspected {
  readonly __schema: {
    readonly queryType: { readonly name: string };
    readonly types: readonly {
      readonly name: string;
      readonly fields?: readonly { readonly name: string; readonly type: TypeRef }[] | null;
    }[];
  };
}

/** For every type, the type of each of its fields. */
export interface ServerTypes {
  readonly query: string;
  readonly fields: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

export function serverTypes(answer: unknown): ServerTypes {
  const { queryType, types } = (answer as Introspected).__schema;
  return {
    query: queryType.name,
    fields: new Map(
      types.map(({ name, fields }) => [name, new Map((fields ?? []).map((field) => [field.name, bare(field.type)]))]),
    ),
  };
}

function bare(type: TypeRef): string {
  return type.ofType ? bare(type.ofType) : (type.name ?? '');
}

/**
 * The query for one root field, limited to the types of this server; undefined when it has no such root.
 * Older or newer servers, or ones with types of their own, are queried only for what they have.
 */
export function queryText({ root, fields }: RootQuery, types: ServerTypes): string | undefined {
  const type = types.fields.get(types.query)?.get(root);
  if (type === undefined) return undefined;
  return `query Echelon { ${root} { ${['path', 'schema', ...selections(fields, type, types)].join(' ')} } }`;
}

function selections(fields: readonly Selection[], type: string, types: ServerTypes): string[] {
  const known = types.fields.get(type);
  return fields.flatMap((field): string[] => {
    if (typeof field === 'string') return known?.has(field) ? [field] : [];
    const inner = known?.get(field.name);
    return inner === undefined ? [] : selection(field, inner, types);
  });
}

const IDENTITY: Readonly<Record<SelectedField['kind'], readonly string[]>> = {
  json: [],
  object: [],
  ref: ['path'],
  refOrInline: ['path'],
  namespace: ['path', 'schema'],
};

function selection(field: SelectedField, type: string, types: ServerTypes): string[] {
  if (field.kind === 'json') return [field.name];
  const inner = [...selections(IDENTITY[field.kind], type, types), ...selections(field.fields ?? [], type, types)];
  for (const [implementer, fields] of Object.entries(field.on ?? {})) {
    const own = selections(fields, implementer, types);
    if (own.length > 0) inner.push(`... on ${implementer} { ${own.join(' ')} }`);
  }
  return inner.length === 0 ? [] : [`${field.name} { ${inner.join(' ')} }`];
}

/** The strategies whose overrides this server serves without `subSharding`. */
export function strategiesWithoutSubSharding({ fields }: ServerTypes): ReadonlySet<string> {
  const divides = (type: string): boolean => {
    const override = fields.get(type)?.get('shardSpecOverrides');
    return override !== undefined && fields.get(override)?.has('subSharding') === true;
  };
  return new Set(Object.keys(SHARDING_TYPES).filter((strategy) => !divides(SHARDING_TYPES[strategy] ?? '')));
}

const RESOURCE = 'Resource_v1';

/** Lists path and schema of the datafiles that no other query gives; undefined when this server has no root for any. */
export function inventoryText({ query, fields }: ServerTypes): string | undefined {
  const queried = new Set(ALL_KINDS.map(({ root }) => root));
  const roots = [...(fields.get(query) ?? [])].flatMap(([root, type]) => {
    const known = fields.get(type);
    const lists = !queried.has(root) && type !== RESOURCE && known?.has('path') && known.has('schema');
    return lists ? [`${root} { path schema }`] : [];
  });
  return roots.length === 0 ? undefined : `query EchelonInventory { ${roots.join(' ')} }`;
}
