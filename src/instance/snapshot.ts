import { byText, isJson } from '../base/index.ts';
import { type Finding, keyPathText, type Problem } from './problem.ts';
import { type KeyPath, lineAndColumn, offsetOf, sourceTree, writtenAt } from './yaml/source-tree.ts';

/** One parsed datafile. Other files refer to it by its path. */
export interface Datafile {
  /** Below `data/`, with a leading slash: `/aws/prod/account.yml`. */
  readonly path: string;
  /** Its `$schema`; absent when the file has none. */
  readonly schema?: string;
  readonly content: Readonly<Record<string, unknown>>;
}

/** The state of an instance that was read; equal ids mean equal data. */
export interface Revision {
  /** For messages and logs: `3f2a1bc`, `3f2a1bc+dirty.9c1d22e0`, or the start of a bundle's sha. */
  readonly id: string;
  /** SHA-256 of a bundle's text, or of the content of a directory. */
  readonly sha256: string;
  readonly commit?: string;
  /** The working tree differs from the commit. */
  readonly dirty?: boolean;
}

/** What the source reports as its current state as long as it is this one. */
export function stateOf({ commit, dirty, sha256 }: Revision): string {
  return commit !== undefined && dirty === false ? commit : sha256;
}

/** The data of one state of an instance. Immutable. */
export interface Snapshot {
  /** The source as given by the user. */
  readonly origin: string;
  readonly kind: 'directory' | 'bundle' | 'server';
  readonly revision: Revision;
  readonly datafiles: ReadonlyMap<string, Datafile>;
  /** Datafiles that exist but cannot be read: a reference to one is not dangling. */
  readonly unreadable: ReadonlySet<string>;
  /** Paths below `resources/`; absent when the source does not list them. */
  readonly resources?: ReadonlySet<string>;
  /** The pinned tool versions of `.env`; empty where the source has none. */
  readonly env: ReadonlyMap<string, string>;
  /** JSON schemas that came with the data. */
  readonly schemas?: ReadonlyMap<string, unknown>;
  /** The sharding strategies whose overrides the source gives without `subSharding`; none when absent. */
  readonly undivided?: ReadonlySet<string>;
  /** Datafiles that the source lists but does not give, with their schemas; only after a load that asked for them. */
  readonly notGiven?: ReadonlyMap<string, string>;
  /** Problems found while reading. */
  readonly problems: readonly Problem[];
  /** The text of a datafile, where the source keeps texts and the file has not changed since. */
  readonly text: (path: string) => string | undefined;
}

/** Adds lines to findings; each file is parsed once. */
export function locateFindings(snapshot: Snapshot, findings: readonly Finding[]): Problem[] {
  const texts = new Map<string, Located | undefined>();
  return findings.map((finding) => {
    if (!texts.has(finding.path)) texts.set(finding.path, locatedText(snapshot, finding.path));
    return located(finding, texts.get(finding.path));
  });
}

interface Located {
  readonly text: string;
  readonly tree: ReturnType<typeof sourceTree>;
}

function locatedText(snapshot: Snapshot, path: string): Located | undefined {
  const text = snapshot.text(path);
  return text === undefined ? undefined : { text, tree: sourceTree(text) };
}

function located(finding: Finding, source: Located | undefined): Problem {
  const at = keyPathText(finding.keys);
  const position =
    source === undefined ? {} : lineAndColumn(source.text, offsetOf(source.tree, finding.keys, finding.at ?? 'value'));
  return {
    rule: finding.rule,
    severity: finding.severity,
    file: fileOf(finding.path),
    ...position,
    ...(at === '' ? {} : { at }),
    message: finding.message,
    hint: finding.hint,
  };
}

/** The source text of a scalar in a datafile, such as `0123456` where the parsed value is 42798. */
export function writtenScalar(snapshot: Snapshot, path: string, keys: KeyPath): string | undefined {
  const text = snapshot.text(path);
  return text === undefined ? undefined : writtenAt(sourceTree(text), keys);
}

/** The path of a datafile below the root of its instance. */
export function fileOf(path: string): string {
  return `data${path}`;
}

/** The datafiles with this schema, ordered by path. */
export function bySchema(snapshot: Snapshot, ...schemas: readonly string[]): readonly Datafile[] {
  const known = SCHEMA_INDEX.get(snapshot) ?? Map.groupBy(snapshot.datafiles.values(), ({ schema }) => schema);
  SCHEMA_INDEX.set(snapshot, known);
  const [first, ...others] = schemas.map((schema) => known.get(schema) ?? []);
  return others.length === 0 ? (first ?? []) : [first ?? [], ...others].flat().sort((a, b) => byText(a.path, b.path));
}

/** Built on first use; snapshots are immutable. */
const SCHEMA_INDEX = new WeakMap<Snapshot, ReadonlyMap<string | undefined, readonly Datafile[]>>();

/** The path of a pure reference, `{ $ref: "/path" }`; undefined for anything else. */
export function refPath(value: unknown): string | undefined {
  if (!isJson(value)) return undefined;
  const ref = value['$ref'];
  return typeof ref === 'string' ? ref : undefined;
}

/** A problem in a part of a file. */
interface PartProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Problems in a text other than a datafile, such as a configuration: `upgrades.yml:3:5: environments[0].url: …`. */
export function locatedIn(name: string, content: string, problems: readonly PartProblem[]): string[] {
  const findings = problems.map(({ path, message }) => ({
    rule: 'file',
    severity: 'error' as const,
    path: name,
    keys: path.filter((key) => typeof key !== 'symbol'),
    message,
    hint: '',
  }));
  return locateFindings(onlyText(content), findings).map(({ line, column, at, message }) => {
    const place = line === undefined ? name : `${name}:${line}:${column ?? 1}`;
    return at === undefined ? `${place}: ${message}` : `${place}: ${at}: ${message}`;
  });
}

/** The parsed text in which locations are looked up. */
function onlyText(content: string): Snapshot {
  return {
    origin: '.',
    kind: 'directory',
    revision: { id: '', sha256: '' },
    datafiles: new Map(),
    unreadable: new Set(),
    env: new Map(),
    problems: [],
    text: () => content,
  };
}
