import { byText, count, defined, escapeControls, inTurns, markdownTable } from '../../base/index.ts';
import { type Instance, instanceSteps } from '../domain/read-instance.ts';
import { firstProblems, MORE_PROBLEMS, problemSteps } from '../locate.ts';
import { type Finding, type KeyPath, type Problem, positionText } from '../problem.ts';
import type { SchemaSet } from '../schema/schema-set.ts';
import type { Snapshot } from '../snapshot.ts';
import { danglingReferences, schemaNames, unquotedDates } from './datafile-rules.ts';
import { duplicateNames, managedTwice, partialResources, sameServer, settingsWithoutEffect } from './instance-rules.ts';

/** A check of instance data from another room, such as that overrides name existing shards. */
type InstanceCheck = (instance: Instance) => readonly Finding[];

/** The rule for what is unknown only because another file has errors, which are reported there. */
const CONSEQUENCE = 'ref-unreadable';

/** A check of a file that is not a datafile: its problems have their lines already. */
type FileCheck = (instance: Instance) => readonly Problem[];

interface CheckOptions {
  /** JSON schemas to validate against; default: those of the snapshot. */
  readonly schemas?: SchemaSet;
  readonly checks?: readonly InstanceCheck[];
  readonly fileChecks?: readonly FileCheck[];
}

/** Every problem of an instance with its location, ordered by file and line. */
export async function checkInstance(snapshot: Snapshot, options: CheckOptions = {}): Promise<Problem[]> {
  const instance = await inTurns(instanceSteps(snapshot));
  const schemas = options.schemas ?? snapshot.schemas;
  const findings = [
    ...schemaNames(snapshot, schemas === undefined ? undefined : new Set(schemas.keys())),
    ...danglingReferences(snapshot),
    ...instance.findings.filter(({ rule }) => rule !== CONSEQUENCE),
    ...duplicateNames(snapshot),
    ...managedTwice(instance),
    ...sameServer(instance),
    ...settingsWithoutEffect(instance),
    ...partialResources(instance),
    ...unquotedDates(snapshot),
    ...(options.checks ?? []).flatMap((check) => check(instance)),
    ...(schemas === undefined ? [] : await againstSchemas(snapshot, schemas)),
  ];
  return ordered([
    ...snapshot.problems,
    ...(await inTurns(problemSteps(snapshot, dedupeFindings(findings)))),
    ...(options.fileChecks ?? []).flatMap((check) => firstProblems(check(instance))),
  ]);
}

/** The validator is loaded only where there are schemas. */
async function againstSchemas(snapshot: Snapshot, schemas: SchemaSet): Promise<Finding[]> {
  const { checkSchemas } = await import('../schema/check-schemas.ts');
  return inTurns(checkSchemas(snapshot, schemas));
}

function ordered(problems: readonly Problem[]): Problem[] {
  return problems.toSorted(
    (a, b) =>
      byText(a.file, b.file) ||
      Number(a.rule === MORE_PROBLEMS) - Number(b.rule === MORE_PROBLEMS) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0) ||
      byText(a.rule, b.rule),
  );
}

const SCHEMA_RULE = 'json-schema';

/**
 * Several checks find the same mistake: per location the first finding is kept, and JSON schema findings come last. What a
 * schema forbids is an error though, whatever the first finding was, and a malformed value (`bad-…`) is not
 * reported again by the schema.
 */
export function dedupeFindings(findings: readonly Finding[]): Finding[] {
  const places = new Map<string, Finding[]>();
  for (const finding of withoutCollisions(findings)) {
    const { keys } = finding;
    const place = placeOf(finding.path, keys);
    const here = places.get(place);
    if (finding.rule !== SCHEMA_RULE) addOnce(places, place, finding);
    else if (here !== undefined)
      places.set(
        place,
        here.map((earlier) => ({ ...earlier, severity: 'error' })),
      );
    else if (!malformedAbove(places, finding.path, keys)) places.set(place, [finding]);
  }
  return [...places.values()].flat();
}

/** Objects that collide because of a duplicate name are reported once, at the name. */
function withoutCollisions(findings: readonly Finding[]): readonly Finding[] {
  const doubled = findings.some(({ rule }) => rule === 'duplicate-name' || rule === 'managed-twice');
  return doubled ? findings.filter(({ rule }) => rule !== 'object-name-collision') : findings;
}

function addOnce(places: Map<string, Finding[]>, place: string, finding: Finding): void {
  const here = places.get(place) ?? [];
  if (!here.some(({ rule }) => rule === finding.rule)) places.set(place, [...here, finding]);
}

function malformedAbove(places: ReadonlyMap<string, readonly Finding[]>, path: string, keys: KeyPath): boolean {
  return keys.some((_, length) =>
    places.get(placeOf(path, keys.slice(0, length)))?.some(({ rule }) => rule.startsWith('bad-')),
  );
}

function placeOf(path: string, keys: KeyPath): string {
  return `${path}\n${JSON.stringify(keys)}`;
}

/** The result of a validation. */
export interface ValidationReport extends Pick<Snapshot, 'origin' | 'kind' | 'revision'> {
  /** Datafiles that were read, or could not be. */
  readonly files: number;
  readonly problems: readonly Problem[];
  readonly againstSchemas: boolean;
  /** Path and schema of the datafiles that the source has but does not serve; absent for a source that serves everything. */
  readonly unservedDatafiles?: readonly (readonly [string, string])[];
}

export function validationReport(
  snapshot: Snapshot,
  problems: readonly Problem[],
  againstSchemas: boolean,
): ValidationReport {
  const { origin, kind, revision } = snapshot;
  const files = snapshot.datafiles.size + snapshot.unreadable.size;
  const unservedDatafiles = snapshot.unservedDatafiles === undefined ? undefined : [...snapshot.unservedDatafiles];
  return { origin, kind, revision, files, problems, againstSchemas, ...defined({ unservedDatafiles }) };
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
    ...defined({ notChecked: report.unservedDatafiles?.map(([path, schema]) => ({ file: `data${path}`, schema })) }),
  };
}

export function errorsOf({ problems }: ValidationReport): number {
  return problems.filter(({ severity }) => severity === 'error').length;
}

/** `no problems in 3 datafiles of data at 1234567 (checked against JSON schemas)` */
export function validationSummary(report: ValidationReport): string {
  const { origin, revision, files: read, problems, againstSchemas } = report;
  const others = report.unservedDatafiles?.length ?? 0;
  const files = others === 0 ? count(read, 'datafile') : `${read} of at least ${count(read + others, 'datafile')}`;
  const found =
    problems.length === 0
      ? 'no problems'
      : `${count(errorsOf(report), 'error')}, ${count(problems.length - errorsOf(report), 'warning')}`;
  const depth = againstSchemas ? 'checked against JSON schemas' : 'no JSON schemas at hand';
  return `${found} in ${files} of ${origin} at ${revision.id} (${depth})`;
}

/** A heading and one line per schema; nothing for a source that serves everything. */
export function notCheckedLines({ unservedDatafiles }: ValidationReport): string[] {
  if (unservedDatafiles === undefined) return [];
  const bySchema = Map.groupBy(unservedDatafiles, ([, schema]) => schema);
  return [
    `not checked: ${count(unservedDatafiles.length, 'datafile')} that Echelon does not read from a server, ` +
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
