import { isJson } from '../../base/index.ts';
import { type Build, KEYWORDS, UNSUPPORTED } from './fits-keywords.ts';
import type { Fits } from './noted.ts';
import { prepared } from './prepared.ts';
import type { SchemaSet } from './schema-set.ts';

export interface SchemaReader {
  /** By its path; undefined when it is unknown, or says what is not supported here. */
  schema(path: string): Fits | undefined;
  /** A schema nested in another. */
  inline(schema: object): Fits | undefined;
}

/**
 * Reads schemas for what most files need: a yes. It is the yes of the validator, without compiling it, which takes longer than checking
 * thousands of files. What is wrong with a file is for the validator to say.
 */
export function schemaReader(schemas: SchemaSet): SchemaReader | undefined {
  if ([...schemas.values()].some(namesItself)) return undefined;
  const ready = new Map<string, unknown>();
  const preparedAt = (path: string): unknown => {
    if (!ready.has(path)) ready.set(path, prepared(schemas.get(path), path));
    return ready.get(path);
  };
  const referred = (ref: string): Referred => {
    const [, path = '', pointer = ''] = REFERENCE.exec(ref) ?? [];
    const whole = schemas.has(path) ? preparedAt(path) : undefined;
    return { whole, part: valueAt(whole, pointer.split('/').slice(1)) };
  };
  const inlined = new Map<object, Fits | undefined>();
  const known = new Map<string, Fits | undefined>();
  return {
    schema: (path) => {
      if (!known.has(path)) known.set(path, readWhole(referred(path).part, referred));
      return known.get(path);
    },
    inline: (schema) => {
      if (!inlined.has(schema)) inlined.set(schema, readWhole(prepared(schema, ''), referred));
      return inlined.get(schema);
    },
  };
}

/** What a reference leads to. */
interface Referred {
  readonly part: unknown;
  /** The schema that it is a part of, which the validator compiles too. */
  readonly whole: unknown;
}

/** With an id a schema can be referred to by another name than its path. */
function namesItself(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  return Object.entries(schema).some(([key, value]) => IDS.has(key) || namesItself(value));
}

const IDS: ReadonlySet<string> = new Set(['$id', '$anchor', '$dynamicAnchor']);

/** A path that is the same after it was resolved as a URL, and a pointer in which nothing is escaped. */
const REFERENCE = /^((?:\/[\w-][\w.-]*)+)(?:#((?:\/[\w-]+)*))?$/;

function valueAt(schema: unknown, keys: readonly string[]): unknown {
  return keys.reduce((value, key) => (isJson(value) && Object.hasOwn(value, key) ? value[key] : undefined), schema);
}

/** Undefined when any part that the schema leads to is not supported, or applies itself to the same value without end. */
function readWhole(schema: unknown, referred: (ref: string) => Referred): Fits | undefined {
  const known = new Map<unknown, Fits>();
  const onSame = new Map<unknown, unknown[]>();
  let isSupported = true;
  const unsupported = (): Fits => {
    isSupported = false;
    return NEVER;
  };
  const read = (part: unknown): Fits => {
    if (typeof part === 'boolean') return () => part;
    if (!isJson(part)) return unsupported();
    const before = known.get(part);
    if (before !== undefined) return before;
    let fits: Fits = NEVER;
    known.set(part, (value, noted) => fits(value, noted));
    const others: unknown[] = [];
    onSame.set(part, others);
    const same = (other: unknown): Fits => {
      others.push(other);
      return read(other);
    };
    const elsewhere = (ref: string): Fits => {
      const found = referred(ref);
      read(found.whole);
      return same(found.part);
    };
    fits = all(keywordsOf(part, { read, same, referred: elsewhere, unsupported }));
    known.set(part, fits);
    return fits;
  };
  const whole = read(schema);
  return isSupported && !hasCycle(onSame) ? whole : undefined;
}

function hasCycle(edges: ReadonlyMap<unknown, readonly unknown[]>): boolean {
  const done = new Set<unknown>();
  const open = new Set<unknown>();
  const closes = (node: unknown): boolean => {
    if (done.has(node)) return false;
    if (open.has(node)) return true;
    open.add(node);
    const found = edges.get(node)?.some(closes) === true;
    done.add(node);
    return found;
  };
  return [...edges.keys()].some(closes);
}

const NEVER: Fits = () => false;

function keywordsOf(schema: Readonly<Record<string, unknown>>, build: Build): Fits[] {
  return Object.keys(schema).flatMap((keyword) => {
    const value = schema[keyword];
    if (UNSUPPORTED.has(keyword)) return [build.unsupported()];
    const made = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword]?.(value, build, schema) : undefined;
    return made === undefined ? [] : [made];
  });
}

function all(keywords: readonly Fits[]): Fits {
  const [first, second, ...more] = keywords;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  if (more.length === 0) {
    return (value, noted) => {
      const fits = first(value, noted);
      return second(value, noted) && fits;
    };
  }
  return (value, noted) => {
    let fits = true;
    for (const keyword of keywords) fits = keyword(value, noted) && fits;
    return fits;
  };
}
