import { byText, count, isJson, type Steps } from '../base/index.ts';
import { type Finding, keyPathText, type Problem } from './problem.ts';
import { type KeyPath, offsetOf, positions, sourceTree, writtenAt } from './yaml/source-tree.ts';

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
  /** The texts of Echelon's own files below `resources/`, by path: those of `OWN_RESOURCES` that exist. */
  readonly own: ReadonlyMap<string, string>;
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

/** Files that Echelon reads from `resources/`: part of every source, and left alone by existing validators. */
export const OWN_RESOURCES: readonly string[] = [
  '/echelon/manager.yml',
  '/echelon/rollouts.yml',
  '/echelon/shadow.yml',
];

/** Adds lines to findings; each file is parsed once. */
export function locateFindings(snapshot: Snapshot, findings: readonly Finding[]): Problem[] {
  const sources = new Map<string, Located | undefined>();
  return findings.map((finding) => {
    if (!sources.has(finding.path)) sources.set(finding.path, locatedText(snapshot, finding.path));
    return located(finding, sources.get(finding.path));
  });
}

/** Problems reported per file; what is beyond is only counted. */
export const MAX_PROBLEMS_PER_FILE = 100;
export const MORE_PROBLEMS = 'more-problems';

/** The problems of each file with their lines, errors before warnings, at most 100 per file and then their number. */
export function* problemSteps(snapshot: Snapshot, findings: readonly Finding[]): Steps<Problem[]> {
  const problems: Problem[] = [];
  for (const [path, all] of Map.groupBy(findings, (finding) => finding.path)) {
    const kept = all.length <= MAX_PROBLEMS_PER_FILE ? all : errorsFirst(all).slice(0, MAX_PROBLEMS_PER_FILE);
    const source = locatedText(snapshot, path);
    for (const finding of kept) problems.push(located(finding, source));
    if (kept.length < all.length)
      problems.push(moreProblems(fileOf(path), errorsFirst(all).slice(MAX_PROBLEMS_PER_FILE)));
    yield;
  }
  return problems;
}

/** At most 100 problems of one file, errors before warnings, and then their number. */
export function firstProblems(all: readonly Problem[]): readonly Problem[] {
  if (all.length <= MAX_PROBLEMS_PER_FILE) return all;
  const sorted = errorsFirst(all);
  const rest = sorted.slice(MAX_PROBLEMS_PER_FILE);
  return [...sorted.slice(0, MAX_PROBLEMS_PER_FILE), moreProblems(sorted[0]?.file ?? '', rest)];
}

function errorsFirst<Found extends Pick<Problem, 'severity'>>(findings: readonly Found[]): Found[] {
  const { error = [], warning = [] } = Object.groupBy(findings, ({ severity }) => severity);
  return [...error, ...warning];
}

function moreProblems(file: string, rest: readonly Pick<Problem, 'severity'>[]): Problem {
  return {
    rule: MORE_PROBLEMS,
    severity: rest[0]?.severity ?? 'warning',
    file,
    message: `${count(rest.length, 'more problem')} in this file`,
    hint: 'fix those that are listed, then validate again',
  };
}

interface Located {
  readonly position: ReturnType<typeof positions>;
  readonly tree: ReturnType<typeof sourceTree>;
}

function locatedText(snapshot: Snapshot, path: string): Located | undefined {
  const text = snapshot.text(path);
  if (text === undefined) return undefined;
  return { position: positions(text), tree: sourceTree(text) };
}

function located(finding: Finding, source: Located | undefined): Problem {
  const at = keyPathText(finding.keys);
  const position = source?.position(offsetOf(source.tree, finding.keys, finding.at ?? 'value'));
  return {
    rule: finding.rule,
    severity: finding.severity,
    file: fileOf(finding.path),
    ...position,
    ...(at === '' ? {} : { at: cut(at) }),
    message: cut(finding.message),
    hint: cut(finding.hint),
  };
}

/** Names from the data, which may be long, are part of most texts. */
const LONGEST_TEXT = 1_000;

function cut(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`;
}

/** The source texts of the scalars of a datafile, such as `0123456` where the parsed value is 42798. */
export type WrittenScalars = (path: string, keys: KeyPath) => string | undefined;

/** The file that was asked for last stays parsed: files are read one after the other. */
export function writtenScalars(snapshot: Snapshot): WrittenScalars {
  let last: { readonly path: string; readonly tree: ReturnType<typeof sourceTree> | undefined } | undefined;
  return (path, keys) => {
    if (last?.path !== path) {
      const text = snapshot.text(path);
      last = { path, tree: text === undefined ? undefined : sourceTree(text) };
    }
    return last.tree === undefined ? undefined : writtenAt(last.tree, keys);
  };
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
    keys: path.filter((key) => typeof key !== 'symbol'),
    message,
    hint: '',
  }));
  return problemsIn(name, content, findings).map(({ line, column, at, message }) => {
    const place = line === undefined ? name : `${name}:${line}:${column ?? 1}`;
    return at === undefined ? `${place}: ${message}` : `${place}: ${at}: ${message}`;
  });
}

/** Findings in a text other than a datafile, with their lines; `name` is its path below the root of the instance. */
export function problemsIn(name: string, content: string, findings: readonly Omit<Finding, 'path'>[]): Problem[] {
  const located = locateFindings(
    onlyText(content),
    findings.map((finding) => ({ ...finding, path: name })),
  );
  return located.map((problem) => ({ ...problem, file: name }));
}

/** The parsed text in which locations are looked up. */
function onlyText(content: string): Snapshot {
  return {
    origin: '.',
    kind: 'directory',
    revision: { id: '', sha256: '' },
    datafiles: new Map(),
    unreadable: new Set(),
    own: new Map(),
    env: new Map(),
    problems: [],
    text: () => content,
  };
}
