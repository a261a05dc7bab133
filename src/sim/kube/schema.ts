import definitions from './schema.json' with { type: 'json' };

/** What a field does when it has no value: it is left out, kept unless null, filled with its zero value, or null. */
type Presence = 'omit' | 'keep' | 'zero' | 'null';

type ScalarName =
  | 'string'
  | 'bytes'
  | 'boolean'
  | 'int32'
  | 'int64'
  | 'number'
  | 'time'
  | 'microTime'
  | 'quantity'
  | 'intOrString';

export interface ScalarType {
  readonly kind: 'scalar';
  readonly name: ScalarName;
}

export interface StructType {
  readonly kind: 'struct';
  /** `apps.v1.DeploymentSpec`. */
  readonly name: string;
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, Field>;
}

interface MapType {
  readonly kind: 'map';
  readonly atomic: boolean;
  readonly value: Type;
}

export interface ListType {
  readonly kind: 'list';
  readonly style: 'atomic' | 'set' | 'map';
  /** With the value that counts where an item has none. */
  readonly keys: readonly { readonly name: string; readonly otherwise?: string | number }[];
  readonly item: Type;
}

/** Anything; it is one value to whoever merges. */
interface AnyType {
  readonly kind: 'any';
}

export type Type = ScalarType | StructType | MapType | ListType | AnyType;

export interface Field {
  readonly type: Type;
  readonly presence: Presence;
  /** Where protobuf has it: its number, or the numbers on the way into a message of its own; empty for none. */
  readonly number: string;
}

const SCALARS: ReadonlySet<string> = new Set([
  'string',
  'bytes',
  'boolean',
  'int32',
  'int64',
  'number',
  'time',
  'microTime',
  'quantity',
  'intOrString',
] satisfies ScalarName[]);
const PRESENCE: Readonly<Record<string, Presence>> = { '?': 'keep', '!': 'zero', '~': 'null' };
const ATOMIC = '*';

const known = new Map<string, StructType>();

/** The struct of a definition of schema.json, by its short name. */
export function struct(name: string): StructType {
  const found = known.get(name);
  if (found !== undefined) return found;
  const definition = (definitions as Readonly<Record<string, Readonly<Record<string, string>>>>)[name];
  if (definition === undefined) throw new Error(`schema.json has no ${name}`);
  const fields = new Map<string, Field>();
  const type: StructType = { kind: 'struct', name, atomic: Object.hasOwn(definition, ATOMIC), fields };
  known.set(name, type);
  for (const [field, text] of Object.entries(definition)) if (field !== ATOMIC) fields.set(field, readField(text));
  return type;
}

/** A number in protobuf, a type, and one of `?`, `!`, `~`: `2:apps.v1.DeploymentSpec!`. */
function readField(text: string): Field {
  const [, number = '', type = '', mark = ''] = /^(?:([\d.]+):)?(.*?)([?!~]?)$/.exec(text) ?? [];
  return { type: readType(type), presence: PRESENCE[mark] ?? 'omit', number };
}

/**
 * `core.v1.PodSpec` a struct, `{}string` a map, `{atomic}string` one that is a single value, `[]string` an atomic list,
 * `[set]string` a set, `[port,protocol=TCP]core.v1.ServicePort` a list by keys.
 */
function readType(text: string): Type {
  const [, open, style = '', rest = ''] = /^([[{])([^\]}]*)[\]}](.*)$/.exec(text) ?? [];
  if (open === '[') return readList(style, readType(rest));
  if (open === '{') return { kind: 'map', atomic: style === 'atomic', value: readType(rest) };
  if (text === 'any') return { kind: 'any' };
  return SCALARS.has(text) ? { kind: 'scalar', name: text as ScalarName } : struct(text);
}

function readList(style: string, item: Type): ListType {
  if (style === '' || style === 'set') return { kind: 'list', style: style === '' ? 'atomic' : 'set', keys: [], item };
  const keys = style.split(',').map((key) => {
    const [name = '', otherwise] = key.split('=');
    if (otherwise === undefined) return { name };
    return { name, otherwise: isNumeric(item, name) ? Number(otherwise) : otherwise };
  });
  return { kind: 'list', style: 'map', keys, item };
}

function isNumeric(item: Type, name: string): boolean {
  const key = item.kind === 'struct' ? item.fields.get(name)?.type : undefined;
  return key?.kind === 'scalar' && key.name.startsWith('int3');
}
