import { byText, inTurns } from '../../base/index.ts';
import type { Instance } from '../domain/read-instance.ts';
import { instanceSteps } from '../domain/read-instance.ts';
import type { Finding, Problem } from '../problem.ts';
import type { SchemaSet } from '../schema/schema-set.ts';
import { firstProblems, MORE_PROBLEMS, problemSteps, type Snapshot } from '../snapshot.ts';
import { withoutEchoes } from './echoes.ts';
import { managedTwice } from './managed-twice.ts';
import { settingsWithoutEffect } from './no-effect.ts';
import { partialResources } from './partial-resources.ts';
import { danglingReferences } from './references.ts';
import { sameServer } from './same-server.ts';
import { schemaNames } from './schema-names.ts';
import { duplicateNames } from './unique-names.ts';
import { unquotedDates } from './unquoted-dates.ts';

/** A check of instance data from another room, such as that overrides name existing shards. */
type InstanceCheck = (instance: Instance) => readonly Finding[];

/** The rule for what is unknown only because another file has errors, which are reported there. */
const CONSEQUENCE = 'ref-unreadable';

/** A check of a file that is not a datafile: its problems have their places already. */
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
    ...(await inTurns(problemSteps(snapshot, withoutEchoes(findings)))),
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
