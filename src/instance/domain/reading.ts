import type * as z from 'zod';
import { type Candidates, type Steps, type Suggest, withArticle } from '../../base/index.ts';
import type { Finding } from '../problem.ts';
import { bySchema, type Datafile, refPath, type Snapshot, type WrittenScalars } from '../snapshot.ts';
import type { KeyPath } from '../yaml/source-tree.ts';
import { issueFindings } from './issue-findings.ts';

/** What readers share while one snapshot is read: the data and the findings so far. */
export interface Reading {
  readonly snapshot: Snapshot;
  readonly findings: Finding[];
  readonly written: WrittenScalars;
  readonly suggest: Suggest;
}

/** The objects of one kind, by the path of their datafile. */
export interface Collection<T> {
  /** What one of them is called in messages. */
  readonly what: string;
  readonly schemas: readonly string[];
  readonly objects: ReadonlyMap<string, T>;
}

/** Reads every datafile of a kind; an invalid one is reported and left out. Yields after each. */
export function* readEach<Schema extends z.ZodType, T>(
  reading: Reading,
  kind: Omit<Collection<T>, 'objects'>,
  shape: Schema,
  build: (raw: z.infer<Schema>, file: Datafile) => T | undefined,
): Steps<Collection<T>> {
  const objects = new Map<string, T>();
  for (const file of bySchema(reading.snapshot, ...kind.schemas)) {
    const raw = parsed(reading, file.path, shape, file.content);
    const object = raw === undefined ? undefined : build(raw, file);
    if (object !== undefined) objects.set(file.path, object);
    yield;
  }
  return { ...kind, objects };
}

/** Parses one value; issues become findings at `keys`. */
export function parsed<Schema extends z.ZodType>(
  reading: Reading,
  path: string,
  shape: Schema,
  value: unknown,
  keys: KeyPath = [],
): z.infer<Schema> | undefined {
  const result = shape.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  report(reading, issueFindings(reading.written, { path, keys }, result.error.issues));
  return undefined;
}

/** One by one: a hostile file has more findings than a call may have arguments. */
export function report({ findings }: Pick<Reading, 'findings'>, found: Iterable<Finding>): void {
  for (const finding of found) findings.push(finding);
}

/** The location of a reference: its file and key path. */
interface RefPlace {
  readonly path: string;
  readonly keys: KeyPath;
}

/** The object that a reference points to; undefined, with a finding, when it cannot be resolved. */
export function follow<T>(reading: Reading, place: RefPlace, target: string, kind: Collection<T>): T | undefined {
  const object = kind.objects.get(target);
  if (object === undefined) {
    const at = { severity: 'error', path: place.path, keys: [...place.keys, '$ref'] } as const;
    reading.findings.push({ ...at, ...whyUnresolved(reading, target, kind) });
  }
  return object;
}

function whyUnresolved(
  { snapshot, suggest }: Reading,
  target: string,
  kind: Collection<unknown>,
): Pick<Finding, 'rule' | 'message' | 'hint'> {
  const { what, schemas, objects } = kind;
  const file = snapshot.datafiles.get(target);
  if (file === undefined && !snapshot.unreadable.has(target)) return danglingRef(target, objects, suggest);
  if (file === undefined || schemas.includes(file.schema ?? '')) {
    return {
      rule: 'ref-unreadable',
      message: `cannot resolve this ${what}: ${target} has errors`,
      hint: `fix data${target} first`,
    };
  }
  return wrongTarget(target, file.schema, what, objects, suggest);
}

/** The finding that the reader and the JSON schemas share. */
export function wrongTarget(
  target: string,
  schema: string | undefined,
  what: string,
  candidates: Candidates,
  suggest: Suggest,
): Pick<Finding, 'rule' | 'message' | 'hint'> {
  return {
    rule: 'ref-wrong-type',
    message: `${target} is a ${schema ?? 'file without $schema'}, not ${withArticle(what)}`,
    hint: suggest(target, candidates, `refer to ${withArticle(what)}`),
  };
}

/** The finding that all checks of references share. */
export function danglingRef(
  target: string,
  candidates: Candidates,
  suggest: Suggest,
): Pick<Finding, 'rule' | 'message' | 'hint'> {
  if (target.includes('#') || target.includes('$')) {
    return {
      rule: 'ref-fragment',
      message: `${target} refers to a part of a file; only whole files can be referenced`,
      hint: 'remove the part from # or $ on',
    };
  }
  return {
    rule: 'ref-dangling',
    message: `${target} does not exist`,
    hint: suggest(target, candidates, 'use the path of a datafile below data/, with a leading slash'),
  };
}

/** Settings that are inline or in a file of their own (`$ref`). */
export function inlineOrReferred(snapshot: Snapshot, value: unknown): { value: unknown; path?: string } {
  const path = refPath(value);
  if (path === undefined) return { value };
  return { value: snapshot.datafiles.get(path)?.content, path };
}
