import { byText, count, defined, escapeControls, markdownTable } from '../../base/index.ts';
import { type Problem, positionText } from '../problem.ts';
import type { Snapshot } from '../snapshot.ts';

/** The result of a validation. */
export interface ValidationReport extends Pick<Snapshot, 'origin' | 'kind' | 'revision'> {
  /** Datafiles that were read, or could not be. */
  readonly files: number;
  readonly problems: readonly Problem[];
  readonly againstSchemas: boolean;
  /** Path and schema of what the source has but does not give; absent for a source that gives everything. */
  readonly notGiven?: readonly (readonly [string, string])[];
}

export function validationReport(
  snapshot: Snapshot,
  problems: readonly Problem[],
  againstSchemas: boolean,
): ValidationReport {
  const { origin, kind, revision } = snapshot;
  const files = snapshot.datafiles.size + snapshot.unreadable.size;
  const notGiven = snapshot.notGiven === undefined ? undefined : [...snapshot.notGiven];
  return { origin, kind, revision, files, problems, againstSchemas, ...defined({ notGiven }) };
}

/** Machine-readable. */
export function validationDocument(report: ValidationReport): object {
  return {
    source: report.origin,
    revision: report.revision,
    files: report.files,
    schemas: report.againstSchemas,
    errors: errorsOf(report),
    warnings: report.problems.length - errorsOf(report),
    problems: report.problems,
    ...defined({ notChecked: report.notGiven?.map(([path, schema]) => ({ file: `data${path}`, schema })) }),
  };
}

export function errorsOf({ problems }: ValidationReport): number {
  return problems.filter(({ severity }) => severity === 'error').length;
}

/** `no problems in 3 datafiles of data at 1234567 (checked against JSON schemas)` */
export function validationSummary(report: ValidationReport): string {
  const { origin, revision, files: read, problems, againstSchemas } = report;
  const others = report.notGiven?.length ?? 0;
  const files = others === 0 ? count(read, 'datafile') : `${read} of at least ${count(read + others, 'datafile')}`;
  const found =
    problems.length === 0
      ? 'no problems'
      : `${count(errorsOf(report), 'error')}, ${count(problems.length - errorsOf(report), 'warning')}`;
  const depth = againstSchemas ? 'checked against JSON schemas' : 'no JSON schemas at hand';
  return `${found} in ${files} of ${origin} at ${revision.id} (${depth})`;
}

/** A heading and one line per schema; nothing for a source that gives everything. */
export function notCheckedLines({ notGiven }: ValidationReport): string[] {
  if (notGiven === undefined) return [];
  const bySchema = Map.groupBy(notGiven, ([, schema]) => schema);
  return [
    `not checked: ${count(notGiven.length, 'datafile')} that Echelon does not read from a server, ` +
      'and those of kinds without a query, which a server does not list; to check all, validate a directory or a bundle',
    ...[...bySchema].sort(([a], [b]) => byText(a, b)).map(([schema, files]) => `    ${files.length} ${schema}`),
  ];
}

/** For a page: the summary, what was not checked, and a table of the problems. */
export function validationMarkdown(report: ValidationReport): string {
  const [title, ...schemas] = notCheckedLines(report);
  const unchecked =
    title === undefined ? [] : ['', title, ...schemas.map((each) => `- ${each.trim()}`)].map(escapeControls);
  const head = [`**${validationSummary(report)}**`, ...unchecked].map((text) => `${text}\n`).join('');
  if (report.problems.length === 0) return head;
  const rows = report.problems.map((problem) => [
    problem.severity,
    `${problem.file}${positionText(problem)}`,
    problem.message,
    problem.hint,
    problem.rule,
  ]);
  return `${head}\n${markdownTable(['', 'where', 'what', 'what to do', 'rule'], rows)}`;
}
