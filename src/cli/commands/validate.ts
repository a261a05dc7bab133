import { defined } from '../../base/index.ts';
import {
  checkInstance,
  errorsOf,
  notCheckedLines,
  readSchemas,
  type ValidationReport,
  validationDocument,
  validationMarkdown,
  validationSummary,
} from '../../instance/index.ts';
import { readCapabilities } from '../capabilities-option.ts';
import { EXIT } from '../exit-codes.ts';
import { type CheckFlags, instanceChecks } from '../instance-checks.ts';
import { type InstanceFlags, instanceSource, shortPath } from '../instance-option.ts';
import type { Io } from '../io.ts';
import { paintFor } from '../output/colour.ts';
import { API_VERSION, type Format } from '../output/format.ts';
import { locatedFile, problemText } from '../output/problems.ts';
import { progressOn } from '../output/progress.ts';
import { line } from '../output/terminal.ts';
import { documentWriters, type Writer, type Writers, writerFor } from '../output/writers.ts';

export interface ValidateFlags extends InstanceFlags, CheckFlags {
  readonly schemas?: string;
  readonly capabilities?: string;
  readonly output: Format;
  readonly color?: boolean;
}

/** Loads an instance and reports everything that is wrong with it; exit 1 when anything is an error. */
export async function validate(io: Io, flags: ValidateFlags): Promise<number> {
  const write = writerFor(WRITERS, flags.output, 'validate');
  const report = await check(io, flags);
  await write(io, report, paintFor(io.stdout, io.env, flags.color));
  return errorsOf(report) > 0 ? EXIT.failed : EXIT.ok;
}

async function check(io: Io, flags: ValidateFlags): Promise<ValidationReport> {
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

const printText: Writer<ValidationReport> = (io, report, paint) => {
  for (const problem of report.problems) io.stdout.write(problemText(report.snapshot, problem, paint));
  for (const text of notCheckedLines(report)) io.stdout.write(line(text));
  io.stdout.write(`${paint(errorsOf(report) > 0 ? 'red' : 'green', validationSummary(report))}\n`);
};

const WRITERS: Writers<ValidationReport> = {
  table: printText,
  wide: printText,
  ...documentWriters((report: ValidationReport) => ({
    apiVersion: API_VERSION,
    kind: 'ValidationReport',
    ...validationDocument(report),
  })),
  name: (io, report) => {
    const files = new Set(report.problems.map((problem) => line(locatedFile(report.snapshot, problem.file))));
    io.stdout.write([...files].join(''));
  },
  markdown: (io, report) => io.stdout.write(validationMarkdown(report)),
};
