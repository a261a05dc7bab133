import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { count, defined, EchelonError, mapLimited, messageOf, Secrets } from '../../../base/index.ts';
import { type CommandResult, runCommand } from '../../../clients/runner/index.ts';
import { orderGroups, type PlannedRun, type RunResult } from '../../../promotion/index.ts';
import type { Io } from '../../io.ts';
import { commandOf, type RunPlace } from './commands.ts';
import type { PrCheckFlags } from './flags.ts';
import type { RunImage } from './images.ts';

const SECRET_NAME = /TOKEN|SECRET|PASSW|CREDENTIAL|PRIVATE|API_?KEY|ACCESS_KEY|AUTHORIZATION/i;
/** Shorter values of such variables are switches and numbers more often than secrets. */
const SHORTEST_GUESS = 8;

/**
 * Carries out the runs, group after group, at most `--jobs` at a time. One that fails neither stops nor hides another; an
 * interrupt ends all of them.
 */
export async function execute(
  io: Io,
  flags: PrCheckFlags,
  runs: readonly PlannedRun[],
  imageOf: (run: PlannedRun) => RunImage,
  folders: Omit<RunPlace, 'checkId'>,
): Promise<RunResult[]> {
  const place = { ...folders, checkId: randomBytes(4).toString('hex') };
  const redact = redactor(io);
  const results: RunResult[] = [];
  for (const group of orderGroups(runs)) {
    const ended = await mapLimited(
      group,
      flags.jobs,
      async (run, _, signal) => {
        const result = await one(io, flags, run, { image: imageOf(run), place, redact, signal });
        io.stderr.write(`${run.name}: ${endText(result)}\n`);
        return result;
      },
      io.signal,
    );
    results.push(...ended);
  }
  return results;
}

interface OneOptions {
  readonly image: RunImage;
  readonly place: RunPlace;
  readonly redact: (text: string) => string;
  readonly signal: AbortSignal;
}

async function one(io: Io, flags: PrCheckFlags, run: PlannedRun, options: OneOptions): Promise<RunResult> {
  const { image, place, redact, signal } = options;
  const log = join(flags.logDir, run.log);
  try {
    const command = commandOf(io, flags, run, image, place);
    const settings = { log: resolve(io.cwd, log), redact, timeoutMs: flags.timeout * 1000, signal };
    return resultOf(run, log, flags, await runCommand(command, settings));
  } catch (thrown) {
    if (!(thrown instanceof EchelonError) && !isFileFault(thrown)) throw thrown;
    return { name: run.name, end: 'not-started', seconds: 0, reason: redact(messageOf(thrown)) };
  }
}

/** A log that cannot be written, as on a full disk, is the trouble of one run. */
function isFileFault(thrown: unknown): boolean {
  return thrown instanceof Error && typeof (thrown as NodeJS.ErrnoException).syscall === 'string';
}

function resultOf(run: PlannedRun, log: string, flags: PrCheckFlags, result: CommandResult): RunResult {
  const { end, exitCode, seconds, tail, reason } = result;
  const common = { name: run.name, seconds, log, tail, ...defined({ exitCode }) };
  if (end === 'timed-out') return { ...common, end, reason: `it did not end within ${count(flags.timeout, 'second')}` };
  if (end === 'not-started') return { ...common, end, reason: `it could not be started: ${reason ?? ''}` };
  if (end === 'interrupted') return { ...common, end: 'failed', reason: 'it was interrupted' };
  if (exitCode === 0) return { ...common, end: 'passed' };
  return { ...common, end: 'failed', reason: exitCode == null ? 'a signal ended it' : `exit ${exitCode}` };
}

function endText({ end, reason, seconds }: RunResult): string {
  return `${end}${reason === undefined ? '' : ` (${reason})`} after ${seconds.toFixed(1)} s`;
}

/** Values that the names of their variables call secret are hidden, in logs and in everything that is printed. */
function redactor(io: Io): (text: string) => string {
  const secrets = new Secrets();
  for (const [name, value = ''] of Object.entries(io.env)) {
    if (!SECRET_NAME.test(name) || value.length < SHORTEST_GUESS) continue;
    secrets.add(value);
    io.onSecret?.(value);
  }
  return (text) => secrets.redact(text);
}
