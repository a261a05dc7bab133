import { type Fields, isFields } from './objects.ts';
import type { ScalarType, StructType, Type } from './schema.ts';
import { badRequest } from './status.ts';

const MAGIC = Buffer.from('k8s\0');
const RAW = 2;

/** An object as the clients of kubectl send it: a magic number and a message that holds the object. */
export function decodeProtobuf(body: Buffer, type: StructType): Fields {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) throw badRequest('the body is not a protobuf object');
  const raw = entriesOf(body.subarray(MAGIC.length)).find(({ number }) => number === RAW)?.value;
  return raw instanceof Buffer ? decodeStruct(raw, type, '') : {};
}

interface Entry {
  readonly number: number;
  readonly value: bigint | Buffer;
}

const VARINT = 0;
const FIXED64 = 1;
const DELIMITED = 2;
const FIXED32 = 5;

/** The fields of a message in the order in which they come. */
function entriesOf(bytes: Buffer): Entry[] {
  const entries: Entry[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined) throw badRequest('the protobuf object is cut short');
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw badRequest('the protobuf object is cut short');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const readers: Readonly<Record<number, () => Entry['value']>> = {
    [VARINT]: varint,
    [FIXED64]: () => take(8),
    [DELIMITED]: () => take(Number(varint())),
    [FIXED32]: () => take(4),
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const read = readers[tag & 7];
    if (read === undefined) throw badRequest(`the protobuf object has a field of wire type ${tag & 7}`);
    entries.push({ number: tag >> 3, value: read() });
  }
  return entries;
}

/** Fields whose numbers begin with the prefix; those of a message below it that JSON does not have join them. */
function decodeStruct(bytes: Buffer, type: StructType, prefix: string): Fields {
  const result: Fields = {};
  for (const { number, value } of entriesOf(bytes)) {
    const path = `${prefix}${number}`;
    const [name, field] = [...type.fields].find(([, each]) => each.number === path) ?? [];
    if (name !== undefined && field !== undefined) result[name] = decodeField(result[name], value, field.type);
    else if (value instanceof Buffer && [...type.fields.values()].some((each) => each.number.startsWith(`${path}.`)))
      Object.assign(result, decodeStruct(value, type, `${path}.`));
  }
  return result;
}

/** The items of lists and the entries of maps come one by one. */
function decodeField(before: unknown, value: Entry['value'], type: Type): unknown {
  if (type.kind === 'list') return [...(Array.isArray(before) ? before : []), decodeValue(value, type.item)];
  if (type.kind !== 'map') return decodeValue(value, type);
  const [key, item] = numbered(value, 1, 2);
  return { ...(isFields(before) ? before : {}), [text(key)]: decodeValue(item ?? Buffer.alloc(0), type.value) };
}

function decodeValue(value: Entry['value'], type: Type): unknown {
  if (type.kind === 'struct') return value instanceof Buffer ? decodeStruct(value, type, '') : {};
  return type.kind === 'scalar' ? DECODERS[type.name](value) : null;
}

/** Values of a message by their numbers. */
function numbered(value: Entry['value'], ...numbers: readonly number[]): (Entry['value'] | undefined)[] {
  const entries = value instanceof Buffer ? entriesOf(value) : [];
  return numbers.map((number) => entries.findLast((entry) => entry.number === number)?.value);
}

function text(value: Entry['value'] | undefined): string {
  return value instanceof Buffer ? value.toString('utf8') : '';
}

function integer(value: Entry['value'] | undefined): number {
  return typeof value === 'bigint' ? Number(BigInt.asIntN(64, value)) : 0;
}

const SECOND = 1000;
const MILLISECOND_IN_NANOS = 1_000_000;

function time(value: Entry['value']): string | null {
  const [seconds, nanos] = numbered(value, 1, 2);
  if (seconds === undefined) return null;
  return new Date(integer(seconds) * SECOND + integer(nanos) / MILLISECOND_IN_NANOS).toISOString();
}

const DECODERS: Readonly<Record<ScalarType['name'], (value: Entry['value']) => unknown>> = {
  string: text,
  bytes: (value) => (value instanceof Buffer ? value.toString('base64') : ''),
  boolean: (value) => integer(value) !== 0,
  int32: integer,
  int64: integer,
  number: (value) => (value instanceof Buffer ? value.readDoubleLE() : 0),
  time,
  microTime: time,
  quantity: (value) => text(numbered(value, 1)[0]),
  intOrString: (value) => {
    const [kind, number, word] = numbered(value, 1, 2, 3);
    return integer(kind) === 0 ? integer(number) : text(word);
  },
};
