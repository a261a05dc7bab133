import { count, type Steps } from '../base/index.ts';
import { type Finding, type KeyPath, keyPathText, type Problem } from './problem.ts';
import { fileOf, type Snapshot } from './snapshot.ts';
import { firstDocument, type LayoutNode, offsetOf, positions, writtenAt } from './yaml/layout.ts';

type Texts = Pick<Snapshot, 'text'>;

/** Adds lines to findings; each file is parsed once. */
export function locateFindings(snapshot: Texts, findings: readonly Finding[]): Problem[] {
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
export function* problemSteps(snapshot: Texts, findings: readonly Finding[]): Steps<Problem[]> {
  const problems: Problem[] = [];
  for (const [path, all] of Map.groupBy(findings, (finding) => finding.path)) {
    const reported = all.length <= MAX_PROBLEMS_PER_FILE ? all : errorsFirst(all).slice(0, MAX_PROBLEMS_PER_FILE);
    const source = locatedText(snapshot, path);
    for (const finding of reported) problems.push(located(finding, source));
    if (reported.length < all.length)
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
  readonly root: LayoutNode | undefined;
}

function locatedText(snapshot: Texts, path: string): Located | undefined {
  const text = snapshot.text(path);
  if (text === undefined) return undefined;
  return { position: positions(text), root: firstDocument(text) };
}

function located(finding: Finding, source: Located | undefined): Problem {
  const at = keyPathText(finding.keys);
  const position = source?.position(offsetOf(source.root, finding.keys, finding.at ?? 'value'));
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
export function writtenScalars(snapshot: Texts): WrittenScalars {
  let last: { readonly path: string; readonly root: LayoutNode | undefined } | undefined;
  return (path, keys) => {
    if (last?.path !== path) {
      const text = snapshot.text(path);
      last = { path, root: text === undefined ? undefined : firstDocument(text) };
    }
    return writtenAt(last.root, keys);
  };
}

/** Problems in a text other than a datafile, such as a configuration: `upgrades.yml:3:5: environments[0].url: …`. */
export function locatedIn(
  name: string,
  content: string,
  problems: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): string[] {
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
    { text: () => content },
    findings.map((finding) => ({ ...finding, path: name })),
  );
  return located.map((problem) => ({ ...problem, file: name }));
}
