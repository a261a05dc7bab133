import { byText, count, defined } from '../../base/index.ts';
import { checkInstance, type Problem, readSchemas, type Snapshot } from '../../instance/index.ts';
import { readCapabilities } from '../capabilities-option.ts';
import { EXIT } from '../exit-codes.ts';
import { type CheckFlags, instanceChecks } from '../instance-checks.ts';
import { type InstanceFlags, instanceSource, shortPath } from '../instance-option.ts';
import type { Io } from '../io.ts';
import { paintFor } from '../output/colour.ts';
import { API_VERSION, type Format } from '../output/format.ts';
import { locatedFile, positionText, problemText } from '../output/problems.ts';
import { progressOn } from '../output/progress.ts';
import { markdownTable } from '../output/table.ts';
import { line } from '../output/terminal.ts';
import { documentWriters, type Writer, type Writers, writerFor } from '../output/writers.ts';

export interface ValidateFlags extends InstanceFlags, CheckFlags {
  readonly schemas?: string;
  readonly capabilities?: string;
  readonly output: Format;
  readonly color?: boolean;
}

interface Report {
  readonly snapshot: Snapshot;
  readonly problems: readonly Problem[];
  readonly againstSchemas: boolean;
}

/** Loads an instance and reports everything that is wrong with it; exit 1 when anything is an error. */
export async function validate(io: Io, flags: ValidateFlags): Promise<number> {
  const write = writerFor(WRITERS, flags.output, 'validate');
  const report = await check(io, flags);
  await write(io, report, paintFor(io.stdout, io.env, flags.color));
  return errors(report) > 0 ? EXIT.failed : EXIT.ok;
}

async function check(io: Io, flags: ValidateFlags): Promise<Report> {
  const progress = progressOn(io);
  try {
    const source = await instanceSource(io, flags);
    const schemas = flags.schemas === undefined ? undefined : readSchemas(shortPath(io.cwd, flags.schemas));
    const capabilities = readCapabilities(io, flags.capabilities);
    const snapshot = await source.load({ signal: io.signal, onProgress: progress.step, inventory: true });
    progress.step('check');
    const problems = await checkInstance(snapshot, {
      ...(await instanceChecks(io, flags, { snapshot, capabilities })),
      ...defined({ schemas }),
    });
    return { snapshot, problems, againstSchemas: (schemas ?? snapshot.schemas) !== undefined };
  } finally {
    progress.end();
  }
}

const printText: Writer<Report> = (io, report, paint) => {
  for (const problem of report.problems) io.stdout.write(problemText(report.snapshot, problem, paint));
  for (const text of notCheckedLines(report)) io.stdout.write(line(text));
  io.stdout.write(`${paint(errors(report) > 0 ? 'red' : 'green', summary(report))}\n`);
};

const WRITERS: Writers<Report> = {
  table: printText,
  wide: printText,
  ...documentWriters((report: Report) => ({
    apiVersion: API_VERSION,
    kind: 'ValidationReport',
    source: report.snapshot.origin,
    revision: report.snapshot.revision,
    files: report.snapshot.datafiles.size + report.snapshot.unreadable.size,
    schemas: report.againstSchemas,
    errors: errors(report),
    warnings: report.problems.length - errors(report),
    problems: report.problems,
    ...defined({ notChecked: notChecked(report) }),
  })),
  name: (io, report) => {
    const files = new Set(report.problems.map((problem) => line(locatedFile(report.snapshot, problem.file))));
    io.stdout.write([...files].join(''));
  },
  markdown: (io, report) => {
    io.stdout.write(`**${summary(report)}**\n`);
    const [title, ...lines] = notCheckedLines(report);
    if (title !== undefined)
      io.stdout.write(`\n${[title, ...lines.map((each) => `- ${each.trim()}`)].map(line).join('')}`);
    if (report.problems.length === 0) return;
    const rows = report.problems.map((problem) => [
      problem.severity,
      `${problem.file}${positionText(problem)}`,
      problem.message,
      problem.hint,
      problem.rule,
    ]);
    io.stdout.write(`\n${markdownTable(['', 'where', 'what', 'what to do', 'rule'], rows)}`);
  },
};

function errors({ problems }: Report): number {
  return problems.filter(({ severity }) => severity === 'error').length;
}

function summary(report: Report): string {
  const { snapshot, problems, againstSchemas } = report;
  const read = snapshot.datafiles.size + snapshot.unreadable.size;
  const others = snapshot.notGiven?.size ?? 0;
  const files = others === 0 ? count(read, 'datafile') : `${read} of at least ${count(read + others, 'datafile')}`;
  const found =
    problems.length === 0
      ? 'no problems'
      : `${count(errors(report), 'error')}, ${count(problems.length - errors(report), 'warning')}`;
  const depth = againstSchemas ? 'checked against JSON schemas' : 'no JSON schemas at hand';
  return `${found} in ${files} of ${snapshot.origin} at ${snapshot.revision.id} (${depth})`;
}

/** What the source has but does not give; absent for a source that gives everything. */
function notChecked({ snapshot }: Report): object[] | undefined {
  return snapshot.notGiven === undefined
    ? undefined
    : [...snapshot.notGiven].map(([path, schema]) => ({ file: `data${path}`, schema }));
}

function notCheckedLines({ snapshot }: Report): string[] {
  const { notGiven } = snapshot;
  if (notGiven === undefined) return [];
  const bySchema = Map.groupBy(notGiven, ([, schema]) => schema);
  return [
    `not checked: ${count(notGiven.size, 'datafile')} that Echelon does not read from a server, ` +
      'and those of kinds without a query, which a server does not list; to check all, validate a directory or a bundle',
    ...[...bySchema].sort(([a], [b]) => byText(a, b)).map(([schema, files]) => `    ${files.length} ${schema}`),
  ];
}
