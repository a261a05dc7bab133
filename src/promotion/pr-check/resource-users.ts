import { byText } from '../../base/index.ts';
import type { Side } from './side.ts';

/** A datafile that uses a changed resource. */
interface ResourceUser {
  /** Path of the datafile. */
  readonly path: string;
  readonly schema: string;
  /** Path of the resource. */
  readonly resource: string;
}

/**
 * Datafiles of either side that reference one of the resources, or a resource whose text references one. A reference is the
 * plain path, anywhere in the data.
 */
export function resourceUsers(sides: readonly Side[], changed: readonly string[]): ResourceUser[] {
  if (changed.length === 0) return [];
  const users = sides.flatMap((side) => usersOf(side, withIncluding(side, changed)));
  const distinct = new Map(users.map((user) => [JSON.stringify(Object.values(user)), user]));
  return [...distinct.values()].sort((a, b) => byText(a.resource, b.resource) || byText(a.path, b.path));
}

function usersOf({ instance }: Side, origins: ReadonlyMap<string, ReadonlySet<string>>): ResourceUser[] {
  return [...instance.snapshot.datafiles.values()].flatMap(({ path, schema, content }) => {
    if (schema === undefined) return [];
    const resources = new Set([...stringsOf(content)].flatMap((named) => [...(origins.get(named) ?? [])]));
    return [...resources].map((resource) => ({ path, schema, resource }));
  });
}

/** By path, the changed resources that a resource includes: itself, and those that its text references. */
function withIncluding(side: Side, changed: readonly string[]): Map<string, Set<string>> {
  const origins = new Map(changed.map((path) => [path, new Set([path])]));
  const texts = [...(side.instance.snapshot.resources ?? [])].flatMap((path) => {
    const text = side.text(`resources${path}`);
    return text === undefined ? [] : [{ path, text }];
  });
  for (let grown = true; grown; ) grown = texts.map((resource) => includesMore(resource, origins)).includes(true);
  return origins;
}

/** Whether a resource includes more changed ones than known so far. */
function includesMore({ path, text }: { path: string; text: string }, origins: Map<string, Set<string>>): boolean {
  const own = origins.get(path) ?? new Set<string>();
  const before = own.size;
  for (const [other, from] of origins) {
    if (other !== path && mentions(text, other)) for (const origin of from) own.add(origin);
  }
  if (own.size > before) origins.set(path, own);
  return own.size > before;
}

/** Whether a text contains a complete path: `/a/b.yml`, not `/a/b.yml.j2` nor `/x/a/b.yml`. */
function mentions(text: string, path: string): boolean {
  for (let at = text.indexOf(path); at !== -1; at = text.indexOf(path, at + 1)) {
    if (!isPathLetter(text[at - 1]) && !isPathLetter(text[at + path.length])) return true;
  }
  return false;
}

function isPathLetter(letter: string | undefined): boolean {
  return letter !== undefined && /[\w./-]/.test(letter);
}

function* stringsOf(root: unknown): Generator<string> {
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (typeof node === 'string') yield node;
    else if (typeof node === 'object' && node !== null) waiting.push(...Object.values(node));
  }
}
