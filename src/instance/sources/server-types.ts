import { ROOT_QUERIES, type RootQuery, type SelectedField, type Selection, SHARDING_TYPES } from './server-queries.ts';

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
export function undividedStrategies({ fields }: ServerTypes): ReadonlySet<string> {
  const divides = (type: string): boolean => {
    const override = fields.get(type)?.get('shardSpecOverrides');
    return override !== undefined && fields.get(override)?.has('subSharding') === true;
  };
  return new Set(Object.keys(SHARDING_TYPES).filter((strategy) => !divides(SHARDING_TYPES[strategy] ?? '')));
}

const RESOURCE = 'Resource_v1';

/** Lists path and schema of the datafiles that no other query gives; undefined when this server has no root for any. */
export function inventoryText({ query, fields }: ServerTypes): string | undefined {
  const queried = new Set(ROOT_QUERIES.map(({ root }) => root));
  const roots = [...(fields.get(query) ?? [])].flatMap(([root, type]) => {
    const known = fields.get(type);
    const lists = !queried.has(root) && type !== RESOURCE && known?.has('path') && known.has('schema');
    return lists ? [`${root} { path schema }`] : [];
  });
  return roots.length === 0 ? undefined : `query EchelonInventory { ${roots.join(' ')} }`;
}
