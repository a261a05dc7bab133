import type { ApiObject } from './api-object.ts';

/** The objects of a list, each with the bytes that it takes beyond what it shares with others: an estimate, rather too much. */
export interface SharedObjects {
  readonly objects: readonly ApiObject[];
  readonly bytes: readonly number[];
}

interface Collection {
  add(object: ApiObject): void;
  readonly all: SharedObjects;
}

/** Below this depth nothing is shared: no object of Kubernetes is deeper. */
const MAX_DEPTH = 100;
/** What V8 takes for an object or list and for each field, a reference or a text. */
const [PART_BYTES, FIELD_BYTES] = [48, 8];

/** Of no object at all. */
export const NOTHING_SHARED: SharedObjects = { objects: [], bytes: [] };

/** Collects objects as they are. */
export function plainly(): Collection {
  const objects: ApiObject[] = [];
  return { all: { objects, bytes: [] }, add: (object) => objects.push(object) };
}

/**
 * Collects objects that keep what they have in common once: each is compared with the one of the same name in `before`, or else
 * with the one that was added last, and takes over what is equal. One that is all equal is the one before. An object that is
 * added belongs to the collection and may be changed by it. Linear.
 */
export function sharing(before: SharedObjects): Collection {
  const known = new Map(before.objects.map((object, at) => [keyOf(object), at]));
  const objects: ApiObject[] = [];
  const bytes: number[] = [];
  return {
    all: { objects, bytes },
    add: (object) => {
      const at = known.get(keyOf(object));
      const like = at === undefined ? objects.at(-1) : before.objects[at];
      const size = { all: 0, alone: 0 };
      objects.push(sharedWith(like, object, size, 0) as ApiObject);
      // What it shares with the one before it has alone now, in part at least.
      bytes.push(at === undefined ? size.alone : Math.min(size.all, size.alone + (before.bytes[at] ?? 0)));
    },
  };
}

function keyOf({ metadata: { namespace = '', name } }: ApiObject): string {
  return `${namespace}/${name}`;
}

type Fields = Record<string, unknown>;

interface Size {
  all: number;
  alone: number;
}

function add(size: Size, bytes: number, isShared: boolean): void {
  size.all += bytes;
  if (!isShared) size.alone += bytes;
}

function sharedWith(like: unknown, value: unknown, size: Size, depth: number): unknown {
  if (typeof value === 'string') add(size, PART_BYTES + value.length, like === value);
  if (like === value) return like;
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  const isAlike = typeof like === 'object' && like !== null && Array.isArray(like) === Array.isArray(value);
  return sharedFields(isAlike ? (like as Fields) : undefined, value as Fields, size, depth) ? like : value;
}

/** Lets the fields of a part be those of a similar one where they are equal; whether all are, in the same order. */
function sharedFields(like: Fields | undefined, part: Fields, size: Size, depth: number): boolean {
  const [names, own] = [like && Object.keys(like), Object.keys(part)];
  let isEqual = names?.length === own.length;
  for (const [at, name] of own.entries()) {
    const other = like !== undefined && Object.hasOwn(like, name) ? like[name] : undefined;
    const kept = sharedWith(other, part[name], size, depth + 1);
    if (kept !== part[name]) part[name] = kept;
    if (names?.[at] !== name || kept !== other) isEqual = false;
  }
  add(size, PART_BYTES + FIELD_BYTES * own.length, isEqual);
  return isEqual;
}
