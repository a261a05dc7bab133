import { copyOf, deepEqual, type Fields, isFields } from './objects.ts';
import type { ListType, Type } from './schema.ts';
import { ApiError, badRequest } from './status.ts';

const OPERATIONS_LIMIT = 10_000;

/** RFC 7396. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch;
  const result: Fields = isFields(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = mergePatch(result[name], value);
  }
  return result;
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** RFC 6902, in the dialect of the server: replacing a field that is not there sets it. */
export function jsonPatch(target: Fields, patch: unknown): Fields {
  if (!Array.isArray(patch)) {
    const given = isFields(patch) ? 'object' : typeof patch;
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${given} into Go value of type []handlers.jsonPatchOp`,
    );
  }
  if (patch.length > OPERATIONS_LIMIT) {
    const message = `The allowed maximum operations in a JSON patch is ${OPERATIONS_LIMIT}, got ${patch.length}`;
    throw new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`);
  }
  return patch.reduce<Fields>((document, operation) => operate(document, operation as Operation), copyOf(target));
}

function operate(document: Fields, { op, path, from, value }: Operation): Fields {
  switch (op) {
    case 'add':
    case 'replace':
      return write(document, path, copyOf(value), op);
    case 'remove':
      return take(document, path);
    case 'copy':
      return write(document, path, copyOf(read(document, from ?? '')), 'add');
    case 'move':
      return write(take(document, from ?? ''), path, read(document, from ?? ''), 'add');
    case 'test':
      if (deepEqual(read(document, path, true) ?? null, value ?? null)) return document;
      throw rejected();
    default:
      throw rejected();
  }
}

function rejected(): ApiError {
  return new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}

function steps(path: string): string[] {
  if (path === '') return [];
  if (!path.startsWith('/')) throw rejected();
  return path
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function read(document: unknown, path: string, isLoose = false): unknown {
  return steps(path).reduce<unknown>((at, step) => {
    const found = Array.isArray(at) ? at[indexOf(step, at.length - 1)] : isFields(at) ? at[step] : undefined;
    if (found === undefined && !isLoose) throw rejected();
    return found;
  }, document);
}

function indexOf(step: string, last: number): number {
  if (!/^(?:0|[1-9]\d*)$/.test(step) || Number(step) > last) throw rejected();
  return Number(step);
}

function write(document: Fields, path: string, value: unknown, op: 'add' | 'replace'): Fields {
  const parent = steps(path);
  const last = parent.pop();
  if (last === undefined) return isFields(value) ? value : document;
  const at = read(document, parent.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''));
  if (Array.isArray(at)) {
    if (op === 'replace') at[indexOf(last, at.length - 1)] = value;
    else at.splice(last === '-' ? at.length : indexOf(last, at.length), 0, value);
  } else if (isFields(at)) at[last] = value;
  else throw rejected();
  return document;
}

function take(document: Fields, path: string): Fields {
  read(document, path);
  const result = copyOf(document);
  const parent = steps(path);
  const last = parent.pop() ?? '';
  const at = parent.reduce<unknown>(
    (value, step) => (Array.isArray(value) ? value[Number(step)] : (value as Fields)[step]),
    result,
  );
  if (Array.isArray(at)) at.splice(Number(last), 1);
  else delete (at as Fields)[last];
  return result;
}

const DIRECTIVE = '$patch';
const DELETE_FROM = '$deleteFromPrimitiveList/';
const ORDER = '$setElementOrder/';
const RETAIN = '$retainKeys';

/** A merge that goes into lists by the key of their items; `$patch: delete` and `replace` are known. */
export function strategicMergePatch(target: unknown, patch: unknown, type: Type): unknown {
  if (!isFields(patch) || (type.kind !== 'struct' && type.kind !== 'map')) return patch;
  if (patch[DIRECTIVE] === 'replace') return withoutDirectives(patch);
  if (patch[DIRECTIVE] === 'delete') return {};
  const result: Fields = retained(isFields(target) ? { ...target } : {}, patch[RETAIN]);
  for (const [name, value] of Object.entries(patch)) {
    if (name.startsWith(DELETE_FROM)) deleteFrom(result, name.slice(DELETE_FROM.length), value);
    else if (!isDirective(name)) patchField(result, name, value, type);
  }
  return result;
}

function isDirective(name: string): boolean {
  return name === DIRECTIVE || name === RETAIN || name.startsWith(ORDER);
}

function retained(fields: Fields, keys: unknown): Fields {
  if (!Array.isArray(keys)) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => keys.includes(name)));
}

function deleteFrom(fields: Fields, name: string, values: unknown): void {
  const list = fields[name];
  if (Array.isArray(list) && Array.isArray(values)) fields[name] = list.filter((item) => !values.includes(item));
}

function patchField(fields: Fields, name: string, value: unknown, type: Type): void {
  const below = type.kind === 'map' ? type.value : type.kind === 'struct' ? type.fields.get(name)?.type : undefined;
  if (value === null) delete fields[name];
  else if (below?.kind === 'list' && Array.isArray(value)) fields[name] = patchList(fields[name], value, below);
  else fields[name] = below === undefined || !isFields(value) ? value : strategicMergePatch(fields[name], value, below);
}

function withoutDirectives(patch: Fields): Fields {
  return Object.fromEntries(Object.entries(patch).filter(([name]) => name !== DIRECTIVE));
}

/** Items of the patch in its order; the others among them where they stood. */
function patchList(target: unknown, patch: readonly unknown[], type: ListType): unknown[] {
  const items = Array.isArray(target) ? target : [];
  if (type.style === 'atomic' || patch.some((item) => hasDirective(item, 'replace')))
    return patch.filter((item) => !hasDirective(item));
  const keyOf = type.style === 'set' ? identity : keyBy(type.keys[0]?.name ?? 'name');
  const named = new Set(patch.map(keyOf));
  const before = new Map(items.map((item) => [keyOf(item), item]));
  const patched = patch
    .filter((item) => !hasDirective(item, 'delete'))
    .map((item) => (before.has(keyOf(item)) ? strategicMergePatch(before.get(keyOf(item)), item, type.item) : item));
  const others = items.filter((item) => !named.has(keyOf(item)));
  return interleave(others, patched, items.map(keyOf), keyOf);
}

const identity = (item: unknown): unknown => item;
const keyBy =
  (name: string) =>
  (item: unknown): unknown =>
    isFields(item) ? item[name] : item;

function hasDirective(item: unknown, value?: string): boolean {
  return isFields(item) && item[DIRECTIVE] !== undefined && (value === undefined || item[DIRECTIVE] === value);
}

/** An item of the first list goes before the first of the second that stood behind it. */
function interleave(
  first: readonly unknown[],
  second: readonly unknown[],
  order: readonly unknown[],
  keyOf: (item: unknown) => unknown,
): unknown[] {
  const result: unknown[] = [];
  let i = 0;
  for (const item of second) {
    const place = order.indexOf(keyOf(item));
    while (i < first.length && place >= 0 && order.indexOf(keyOf(first[i])) < place) {
      result.push(first[i]);
      i += 1;
    }
    result.push(item);
  }
  return [...result, ...first.slice(i)];
}
