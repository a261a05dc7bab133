import {
  errorsOf,
  notCheckedLines,
  type ValidationReport,
  validationDocument,
  validationMarkdown,
  validationSummary,
} from '../../instance/index.ts';
import { EXIT } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { paintFor } from '../output/colour.ts';
import { API_VERSION } from '../output/format.ts';
import { locatedFile, problemText } from '../output/problems.ts';
import { line } from '../output/terminal.ts';
import { documentWriters, type Writer, type Writers, writerFor } from '../output/writers.ts';
import { loadFrom } from '../read-instance.ts';
import { check, type ValidateFlags } from './check.ts';

/** Loads an instance and reports everything that is wrong with it; exit 1 when anything is an error. */
export async function validate(io: Io, flags: ValidateFlags): Promise<number> {
  const write = writerFor(WRITERS, flags.output, 'validate');
  const report = await check(io, flags, await loadFrom(io, flags, { inventory: true }));
  await write(io, report, paintFor(io.stdout, io.env, flags.color));
  return errorsOf(report) > 0 ? EXIT.failed : EXIT.ok;
}

const printText: Writer<ValidationReport> = (io, report, paint) => {
  for (const problem of report.problems) io.stdout.write(problemText(report, problem, paint));
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
    const files = new Set(report.problems.map((problem) => line(locatedFile(report, problem.file))));
    io.stdout.write([...files].join(''));
  },
  markdown: (io, report) => io.stdout.write(validationMarkdown(report)),
};
