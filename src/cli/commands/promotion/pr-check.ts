import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { defined, EchelonError, messageOf } from '../../../base/index.ts';
import { makeFolder, unwritable } from '../../../clients/files/index.ts';
import { DEFAULT_IMAGE, readSchemas } from '../../../instance/index.ts';
import {
  type CheckReport,
  checkJunit,
  checkMarkdown,
  checkText,
  openPrCheck,
  type PrCheckRequest,
  type RunResult,
  verdictOf,
} from '../../../pr-check/index.ts';
import { readCapabilities, shortPath } from '../../instance.ts';
import { EXIT, type Io } from '../../io.ts';
import { requireCommand } from '../../local-run.ts';
import { API_VERSION, documentWriters, type Writers, writerFor } from '../../output/formats.ts';
import { line, paintFor, penFor } from '../../output/terminal.ts';
import { type CheckInputs, checkPorts, type PrCheckFlags } from './ports.ts';

/** Reports what a change affects and dry-runs the affected integrations; exits 1 if it adds errors or a run fails. */
export async function prCheck(io: Io, flags: PrCheckFlags): Promise<number> {
  const write = writerFor(CHECK_WRITERS, flags.output, 'pr-check');
  if (flags.run === true || flags.shadow === true || flags.shell === true) requireCommand(flags);
  requireRendering(flags);
  requireWritable(io, flags);
  const schemas = flags.schemas === undefined ? undefined : readSchemas(shortPath(io.cwd, flags.schemas));
  const capabilities = readCapabilities(io, flags.capabilities);
  const inputs = { ...defined({ schemas, capabilities }) };
  const folder = resolve(io.cwd, flags.data ?? (io.env['ECHELON_DATA'] || '.'));
  const service = openPrCheck({ folder }, checkPorts(io, flags, inputs));
  const checked = await service.check(requestOf(io, flags, inputs));
  const { report } = checked;
  await write(io, report, paintFor(io.stdout, io.env, flags.color));
  writeReports(io, flags, report);
  if (flags.comment !== undefined) {
    const { comment: number, repository, remote, forge: kind, forgeApi: api } = flags;
    const request = { number, remote, forge: { ...defined({ kind, api }) }, ...defined({ repository }) };
    const { updated } = await service.comment(checked, request);
    io.stderr.write(`comment on merge request ${number} ${updated ? 'updated' : 'created'}\n`);
  }
  return verdictOf(report).ok ? EXIT.ok : EXIT.failed;
}

function requestOf(io: Io, flags: PrCheckFlags, { capabilities }: CheckInputs): PrCheckRequest {
  const { base, head, worktree, remote, render, jobs, timeout, logDir } = flags;
  const compareSha = flags.compareSha ?? (io.env['EARLY_EXIT_COMPARE_SHA'] || undefined);
  const image = flags.image ?? (io.env['INTEGRATIONS_MANAGER_IMAGE'] || undefined);
  const onResult = (result: RunResult): void => io.stderr.write(line(`${result.name}: ${endText(result)}`));
  return {
    remote,
    render,
    selectStrict: flags.selectStrict === true,
    images: { defaultImage: DEFAULT_IMAGE, ...defined({ image }) },
    ...defined({ base, head, worktree, compareSha, capabilities }),
    ...(flags.run === true ? { runs: { jobs, timeout, logDir, onResult } } : {}),
    ...(flags.shadow === true ? { shadows: { jobs, timeout, most: flags.maxShadows } } : {}),
  };
}

/** The images that a change introduces are those of the rendered workloads. */
function requireRendering({ shadow, render }: PrCheckFlags): void {
  if (shadow !== true || render) return;
  const message = '--shadow compares the images of rendered workloads';
  throw new EchelonError({ code: 'FLAG_INVALID', message, hint: 'omit --no-render or --shadow' });
}

function endText({ end, reason, seconds }: RunResult): string {
  return `${end}${reason === undefined ? '' : ` (${reason})`} after ${seconds.toFixed(1)} s`;
}

function writeReports(io: Io, flags: PrCheckFlags, report: CheckReport): void {
  if (flags.markdown !== undefined) writeReport(io, flags.markdown, checkMarkdown(report));
  if (flags.junit !== undefined) writeReport(io, flags.junit, checkJunit(report));
}

const CHECK_WRITERS: Writers<CheckReport> = {
  table: (io, report, paint) => io.stdout.write(checkText(report, penFor(io, paint, 'table'), false)),
  wide: (io, report, paint) => io.stdout.write(checkText(report, penFor(io, paint, 'wide'), true)),
  ...documentWriters((report: CheckReport) => {
    const { ok, failures } = verdictOf(report);
    return { apiVersion: API_VERSION, kind: 'PrCheck', ok, failures, ...report };
  }),
  name: (io, report) => {
    const names = report.integrations.filter(({ selected }) => selected).map(({ integration }) => integration);
    io.stdout.write(names.map((name) => line(`integration/${name}`)).join(''));
  },
  markdown: (io, report) => io.stdout.write(checkMarkdown(report)),
};

/** Checked before anything runs, so that runs are not wasted if logs or reports cannot be written. */
function requireWritable(io: Io, flags: Pick<PrCheckFlags, 'run' | 'shadow' | 'logDir' | 'markdown' | 'junit'>): void {
  if (flags.run === true || flags.shadow === true) makeFolder(resolve(io.cwd, flags.logDir), '--log-dir');
  for (const flag of ['markdown', 'junit'] as const) {
    const name = flags[flag];
    if (name === undefined) continue;
    const file = resolve(io.cwd, name);
    makeFolder(dirname(file), `--${flag}`);
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw unwritable(`--${flag}`, file, 'it is a folder');
  }
}

function writeReport(io: Io, name: string, text: string): void {
  const file = resolve(io.cwd, name);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  } catch (thrown) {
    throw unwritable('the report', file, messageOf(thrown));
  }
}
