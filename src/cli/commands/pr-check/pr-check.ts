import { defined, EchelonError } from '../../../base/index.ts';
import { readSchemas } from '../../../instance/index.ts';
import {
  type CheckReport,
  changedFiles,
  checkJunit,
  checkMarkdown,
  compareProblems,
  explainFiles,
  planRuns,
  type RunResult,
  selectIntegrations,
  verdictOf,
} from '../../../promotion/index.ts';
import { EXIT } from '../../exit-codes.ts';
import { shortPath } from '../../instance-option.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { writerFor } from '../../output/writers.ts';
import { readCapabilities } from '../manager/open.ts';
import { postComment } from './comment.ts';
import { type Compared, compare } from './compared.ts';
import { execute } from './execute.ts';
import type { PrCheckFlags } from './flags.ts';
import { imageText, runImages } from './images.ts';
import { CHECK_WRITERS } from './output.ts';
import { type LoadedSides, loadSides } from './sides.ts';
import { workloadReport } from './workloads.ts';
import { requireWritable, writeReport } from './written-files.ts';

/** Tells what a change does and runs, in dry-run, what it concerns; exit 1 when it brings errors or a run fails. */
export async function prCheck(io: Io, flags: PrCheckFlags): Promise<number> {
  const write = writerFor(CHECK_WRITERS, flags.output, 'pr-check');
  requireCommand(flags);
  requireWritable(io, flags);
  const schemas = flags.schemas === undefined ? undefined : readSchemas(shortPath(io.cwd, flags.schemas));
  const compared = await compare(io, flags);
  const sides = await loadSides(io, compared, schemas);
  try {
    const report = await check(io, flags, compared, sides);
    await write(io, report, paintFor(io.stdout, io.env, flags.color));
    writeReports(io, flags, report);
    await postComment(io, flags, compared, sides, report);
    return verdictOf(report).ok ? EXIT.ok : EXIT.failed;
  } finally {
    sides.dispose();
  }
}

async function check(io: Io, flags: PrCheckFlags, compared: Compared, sides: LoadedSides): Promise<CheckReport> {
  const capabilities = readCapabilities(io, flags.capabilities);
  const compareSha = flags.compareSha ?? (io.env['EARLY_EXIT_COMPARE_SHA'] || undefined);
  const files = explainFiles(changedFiles(compared.changes, compared.folder), sides);
  const integrations = selectIntegrations(files, sides, { strict: flags.selectStrict === true });
  const plan = planRuns(sides, integrations, {
    ...defined({ capabilities, compareSha }),
  });
  const imageOf = runImages(io, flags, sides.head.instance);
  const planned: CheckReport = {
    base: compared.base,
    head: compared.head,
    files,
    validation: compareProblems(sides.base.problems, sides.head.problems),
    ...(flags.render ? { workloads: await workloadReport(io, flags, sides, capabilities) } : {}),
    integrations,
    runs: plan.runs.map((run) => ({ ...run, image: imageText(imageOf(run)) })),
    notes: plan.notes,
  };
  if (flags.run !== true) return planned;
  const place = { base: sides.base.folder, head: sides.head.folder };
  const results = verdictOf(planned).ok
    ? await execute(io, flags, planned.runs, imageOf, place)
    : planned.runs.map(({ name }) => skipped(name));
  return { ...planned, results };
}

/** Integrations would fail on data that cannot be read, each in its own words. */
function skipped(name: string): RunResult {
  return { name, end: 'skipped', seconds: 0, reason: 'the change brings errors of the data' };
}

function writeReports(io: Io, flags: PrCheckFlags, report: CheckReport): void {
  if (flags.markdown !== undefined) writeReport(io, flags.markdown, checkMarkdown(report));
  if (flags.junit !== undefined) writeReport(io, flags.junit, checkJunit(report));
}

function requireCommand({ run, runner, command, shell }: PrCheckFlags): void {
  const fault = (message: string, hint: string): EchelonError =>
    new EchelonError({ code: 'FLAG_INVALID', message, hint });
  if (run === true && runner === 'process' && (command ?? '').trim() === '') {
    throw fault(
      '--runner process needs --command',
      "name the program, such as --command 'qontract-reconcile --dry-run'",
    );
  }
  if (shell === true && runner !== 'process') throw fault('--shell is for --runner process', 'leave --shell out');
}
