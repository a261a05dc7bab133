import { byText, defined } from '../base/index.ts';
import { ECHELON_FILES, type Instance } from '../instance/index.ts';

/** A path that differs between two commits, as reported by git, relative to the repository root. */
export interface FileChange {
  readonly path: string;
  readonly change: 'added' | 'modified' | 'deleted' | 'renamed';
  /** The old path of a renamed file. */
  readonly from?: string;
}

/** The part of the repository that a file belongs to, which decides what a change affects. */
type Area = 'data' | 'resource' | 'env' | 'docs' | 'other';

interface ChangedFile {
  /** Relative to the instance root; files outside start with `../`. */
  readonly file: string;
  readonly change: 'added' | 'modified' | 'deleted';
  readonly area: Area;
  /** The path used in references: below `data/` or `resources/`, with a leading slash. */
  readonly path?: string;
}

const DATAFILE = /\.(?:ya?ml|json)$/;
const DOCS = /^docs\/|(?:^|\/)(?:README|LICENSE|CHANGELOG|CONTRIBUTING)$|\.(?:md|markdown|adoc|rst)$/i;

/**
 * The repository changes as instance changes, ordered by file. A rename is a deletion and an addition, since files are
 * referenced by path.
 *
 * @param folder of the instance in the repository, with slashes; empty for the repository root.
 */
export function changedFiles(changes: readonly FileChange[], folder: string): ChangedFile[] {
  const files = new Map<string, ChangedFile>();
  const add = (path: string, change: ChangedFile['change']): void => {
    const file = { change, ...placed(path, folder) };
    files.set(file.file, file);
  };
  for (const { path, change, from } of changes) {
    if (change === 'renamed') {
      if (from !== undefined) add(from, 'deleted');
      add(path, 'added');
    } else {
      add(path, change);
    }
  }
  return [...files.values()].sort((a, b) => byText(a.file, b.file));
}

function placed(path: string, folder: string): Pick<ChangedFile, 'file' | 'area' | 'path'> {
  const prefix = folder === '' ? '' : `${folder}/`;
  if (!path.startsWith(prefix)) {
    return { file: `${'../'.repeat(folder.split('/').length)}${path}`, area: docsOr(path) };
  }
  const file = path.slice(prefix.length);
  if (file === '.env') return { file, area: 'env' };
  const [top = '', ...rest] = file.split('/');
  const hidden = rest.some((name) => name.startsWith('.'));
  const below = `/${rest.join('/')}`;
  if (top === 'data' && rest.length > 0 && !hidden && DATAFILE.test(file)) return { file, area: 'data', path: below };
  if (top === 'resources' && rest.length > 0 && !hidden) return { file, area: 'resource', path: below };
  return { file, area: docsOr(file) };
}

function docsOr(path: string): Area {
  return DOCS.test(path) ? 'docs' : 'other';
}

export interface EnvChange {
  readonly key: string;
  readonly from?: string;
  readonly to?: string;
}

/** A changed file and its effects. */
export interface ExplainedFile extends ChangedFile {
  /** The file's schemas before and after, and those of datafiles that use it. */
  readonly schemas: readonly string[];
  /** Datafiles that use a resource. */
  readonly usedBy: readonly string[];
  /** Changes in `.env`. */
  readonly env?: readonly EnvChange[];
  /** Human-readable, one clause. */
  readonly meaning: string;
}

/** The sides of a change. */
export interface Sides {
  readonly base: Side;
  readonly head: Side;
}

export function explainFiles(files: readonly ChangedFile[], sides: Sides): ExplainedFile[] {
  const both = [sides.base, sides.head];
  const resources = files.flatMap(({ area, path }) => (area === 'resource' && path !== undefined ? [path] : []));
  const users = Map.groupBy(resourceUsers(both, resources), ({ resource }) => resource);
  return files.map((file) => {
    const used = (file.area === 'resource' ? users.get(file.path ?? '') : undefined) ?? [];
    const schemas = distinct([...ownSchemas(file, both), ...used.map(({ schema }) => schema)]);
    const usedBy = distinct(used.map(({ path }) => path));
    const env = file.area === 'env' ? envChanges(sides) : undefined;
    return { ...file, schemas, usedBy, ...defined({ env }), meaning: meaningOf(file, schemas, env) };
  });
}

/** The old and the new schema of a file: either may select integrations. */
function ownSchemas({ area, path, file }: ChangedFile, sides: readonly Side[]): string[] {
  if (path === undefined) return [];
  const found = sides.map((side) => {
    if (area === 'data') return schemaOfDatafile(side, path);
    return /\.ya?ml$/.test(path) ? schemaInText(side.text(file)) : undefined;
  });
  return found.filter((schema) => schema !== undefined);
}

function envChanges({ base, head }: Sides): EnvChange[] {
  const before = base.instance.snapshot.env;
  const after = head.instance.snapshot.env;
  return distinct([...before.keys(), ...after.keys()])
    .filter((key) => before.get(key) !== after.get(key))
    .map((key) => {
      const [from, to] = [before.get(key), after.get(key)];
      return { key, ...defined({ from, to }) };
    });
}

function meaningOf(file: ChangedFile, schemas: readonly string[], env: readonly EnvChange[] | undefined): string {
  if (env !== undefined) {
    const texts = env.map(({ key, from = 'nothing', to = 'nothing' }) => `${key} ${from} → ${to}`);
    return texts.length === 0 ? 'no value changes' : texts.join(', ');
  }
  if (file.area === 'docs') return 'documentation';
  if (file.area === 'other') return 'not checked';
  if (schemas.length > 0) return schemas.join(', ');
  if (file.area !== 'resource') return 'unknown schema';
  return ECHELON_FILES.includes(file.path ?? '') ? 'a file of Echelon itself' : 'no datafile uses it';
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort(byText);
}

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
function resourceUsers(sides: readonly Side[], changed: readonly string[]): ResourceUser[] {
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

/** An instance before or after a change. */
export interface Side {
  readonly instance: Instance;
  /** Text of a file, relative to the instance root; undefined if missing or unreadable. */
  readonly text: (file: string) => string | undefined;
}

const SCHEMA_LINE = /^\$schema:[ \t]*["']?(\/?[^\s"'#]+\.ya?ml)["']?[ \t]*(?:#.*)?\r?$/m;
const SCHEMA_JSON = /^\s*\{\s*"\$schema"\s*:\s*"([^"]+)"/;

/** The schema in a text, even if the rest cannot be parsed: most resources are templates. */
function schemaInText(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  return SCHEMA_LINE.exec(text)?.[1] ?? SCHEMA_JSON.exec(text)?.[1];
}

/** The schema of a datafile, parsed or extracted from its text. */
function schemaOfDatafile({ instance, text }: Side, path: string): string | undefined {
  return instance.snapshot.datafiles.get(path)?.schema ?? schemaInText(text(`data${path}`));
}
