import {
  GraphQLBoolean,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  GraphQLFloat,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLNullableOutputType,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
} from 'graphql';
import type { Json } from './qontract-bundle.ts';
import { type Conf, type ConfField, type Confs, isDatafileConf, isResolvedResource } from './qontract-confs.ts';
import { type QueryContext, resolverOf, typeNameOf } from './qontract-resolvers.ts';

type NamedType = GraphQLObjectType | GraphQLInterfaceType | GraphQLScalarType;
type FieldConfig = GraphQLFieldConfig<Json, QueryContext, Json>;

/** Clients receive JSON-encoded text and parse it a second time. */
const JSON_SCALAR = new GraphQLScalarType({ name: 'JSON', coerceOutputValue: (value) => JSON.stringify(value) });

const SCALARS: Readonly<Record<string, NamedType>> = {
  string: GraphQLString,
  int: GraphQLInt,
  float: GraphQLFloat,
  boolean: GraphQLBoolean,
  json: JSON_SCALAR,
};

const DATAFILE_INTERFACE = 'DatafileObject_v1';

/** The executable schema of a type configuration; which bundle it reads comes with each request's context. */
export function buildQontractSchema(confs: Confs): GraphQLSchema {
  const types = new Map<string, NamedType>(Object.entries(SCALARS));
  for (const conf of confs.values()) types.set(conf.name, buildType(confs, types, conf));
  const query = types.get('Query');
  if (!(query instanceof GraphQLObjectType)) throw new Error('the GraphQL confs have no Query type');
  // Types reached only as implementers of an interface are found by no field, so all are listed.
  return new GraphQLSchema({
    query,
    types: confs
      .keys()
      .map((name) => lookup(types, name))
      .toArray(),
  });
}

function buildType(confs: Confs, types: ReadonlyMap<string, NamedType>, conf: Conf): NamedType {
  const { name } = conf;
  const fields = () => buildFields(confs, types, conf);
  const interfaces = () => interfacesOf(confs, conf).map((parent) => lookupInterface(types, parent));
  if (!conf.isInterface) return new GraphQLObjectType<Json, QueryContext>({ name, fields, interfaces });
  const resolveType = (value: Json) => typeNameOf(confs, conf, value);
  return new GraphQLInterfaceType({ name, fields, resolveType });
}

function interfacesOf(confs: Confs, conf: Conf): string[] {
  const own = conf.interface === undefined ? [] : [conf.interface];
  const common = confs.has(DATAFILE_INTERFACE) && isDatafileConf(confs, conf) ? [DATAFILE_INTERFACE] : [];
  return [...new Set([...own, ...common])];
}

/** A field declared twice counts once: the last declaration. */
function buildFields(confs: Confs, types: ReadonlyMap<string, NamedType>, conf: Conf): Record<string, FieldConfig> {
  return Object.fromEntries(conf.fields.map((field) => [field.name, buildField(confs, types, field)]));
}

function buildField(confs: Confs, types: ReadonlyMap<string, NamedType>, field: ConfField): FieldConfig {
  return { type: fieldType(types, field), args: argumentsOf(confs, field), resolve: resolverOf(field) };
}

/** A resolved resource is nullable even where the field is required: its file may be missing. */
function fieldType(
  types: ReadonlyMap<string, NamedType>,
  field: ConfField,
): GraphQLNullableOutputType | GraphQLNonNull<GraphQLNullableOutputType> {
  if (isResolvedResource(field)) return lookup(types, 'Resource_v1');
  const named = lookup(types, field.type);
  const type = field.isList ? new GraphQLList(new GraphQLNonNull(named)) : named;
  return field.isRequired ? new GraphQLNonNull(type) : type;
}

function argumentsOf(confs: Confs, field: ConfField): GraphQLFieldConfigArgumentMap {
  if (field.type === 'Resource_v1' && field.isResource) return stringArguments(['path', 'schema']);
  if (field.datafileSchema === undefined) return {};
  const searchable = confs.get(field.type)?.fields.filter((candidate) => candidate.isSearchable) ?? [];
  return stringArguments(['path', ...searchable.map((candidate) => candidate.name)]);
}

function stringArguments(names: readonly string[]): GraphQLFieldConfigArgumentMap {
  return Object.fromEntries(names.map((name) => [name, { type: GraphQLString }]));
}

function lookup(types: ReadonlyMap<string, NamedType>, name: string): NamedType {
  const type = types.get(name);
  if (type === undefined) throw new Error(`the GraphQL confs use an unknown type: ${name}`);
  return type;
}

function lookupInterface(types: ReadonlyMap<string, NamedType>, name: string): GraphQLInterfaceType {
  const type = lookup(types, name);
  if (!(type instanceof GraphQLInterfaceType)) throw new Error(`${name} is not an interface`);
  return type;
}
