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
import type { Context } from '../../context.ts';
import { readCapabilities, shortPath } from '../../instance.ts';
import { EXIT } from '../../io.ts';
import { requireCommand } from '../../local-run.ts';
import { documentWriters, print, type Writers } from '../../output/formats.ts';
import { line } from '../../output/terminal.ts';
import type { PrCheckFlags } from './commands.ts';
import { type CheckInputs, checkPorts } from './ports.ts';

/** Reports what a change affects and dry-runs the affected integrations; exits 1 if it adds errors or a run fails. */
export async function prCheck(ctx: Context, flags: PrCheckFlags): Promise<number> {
  if (flags.run === true || flags.shadow === true || flags.shell === true) requireCommand(flags);
  requireRendering(flags);
  requireWritable(ctx, flags);
  const schemas = flags.schemas === undefined ? undefined : readSchemas(shortPath(ctx.cwd, flags.schemas));
  const capabilities = readCapabilities(ctx, flags.capabilities);
  const inputs = { ...defined({ schemas, capabilities }) };
  const folder = resolve(ctx.cwd, flags.data ?? (ctx.env['ECHELON_DATA'] || '.'));
  const service = openPrCheck({ folder }, checkPorts(ctx, flags, inputs));
  const checked = await service.check(requestOf(ctx, flags, inputs));
  const { report } = checked;
  await print(ctx, CHECK_WRITERS, flags.output, report);
  writeReports(ctx, flags, report);
  if (flags.comment !== undefined) {
    const { comment: number, forgeUrl: repository, remote, forge: kind, forgeApi: api } = flags;
    const request = { number, remote, forge: { ...defined({ kind, api }) }, ...defined({ repository }) };
    const { updated } = await service.comment(checked, request);
    ctx.err.write(`comment on merge request ${number} ${updated ? 'updated' : 'created'}\n`);
  }
  return verdictOf(report).ok ? EXIT.ok : EXIT.failed;
}

function requestOf(ctx: Context, flags: PrCheckFlags, { capabilities }: CheckInputs): PrCheckRequest {
  const { base, head, worktree, remote, render, jobs, timeout, logDir } = flags;
  const compareSha = flags.compareSha ?? (ctx.env['EARLY_EXIT_COMPARE_SHA'] || undefined);
  const image = flags.image ?? (ctx.env['INTEGRATIONS_MANAGER_IMAGE'] || undefined);
  const onResult = (result: RunResult): void => ctx.err.line(`${result.name}: ${endText(result)}`);
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

function writeReports(ctx: Context, flags: PrCheckFlags, report: CheckReport): void {
  if (flags.markdown !== undefined) writeReport(ctx, flags.markdown, checkMarkdown(report));
  if (flags.junit !== undefined) writeReport(ctx, flags.junit, checkJunit(report));
}

const CHECK_WRITERS: Writers<CheckReport> = {
  table: ({ out }, report) => out.write(checkText(report, out.pen(), false)),
  wide: ({ out }, report) => out.write(checkText(report, out.pen(), true)),
  ...documentWriters('PrCheck', (report: CheckReport) => {
    const { ok, failures } = verdictOf(report);
    return { ok, failures, ...report };
  }),
  name: (ctx, report) => {
    const names = report.integrations.filter(({ selected }) => selected).map(({ integration }) => integration);
    ctx.out.write(names.map((name) => line(`integration/${name}`)).join(''));
  },
  markdown: (ctx, report) => ctx.out.write(checkMarkdown(report)),
};

/** Checked before anything runs, so that runs are not wasted if logs or reports cannot be written. */
function requireWritable(
  ctx: Context,
  flags: Pick<PrCheckFlags, 'run' | 'shadow' | 'logDir' | 'markdown' | 'junit'>,
): void {
  if (flags.run === true || flags.shadow === true) makeFolder(resolve(ctx.cwd, flags.logDir), '--log-dir');
  for (const flag of ['markdown', 'junit'] as const) {
    const name = flags[flag];
    if (name === undefined) continue;
    const file = resolve(ctx.cwd, name);
    makeFolder(dirname(file), `--${flag}`);
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw unwritable(`--${flag}`, file, 'it is a folder');
  }
}

function writeReport(ctx: Context, name: string, text: string): void {
  const file = resolve(ctx.cwd, name);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  } catch (thrown) {
    throw unwritable('the report', file, messageOf(thrown));
  }
}
