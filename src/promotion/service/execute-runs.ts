import { join } from 'node:path';
import { count, defined, EchelonError, mapLimited, messageOf } from '../../base/index.ts';
import { orderGroups } from '../pr-check/plan.ts';
import type { PlannedRun, RunResult } from '../pr-check/report.ts';
import type { RunImage } from '../pr-check/run-images.ts';
import { variablesOf, wordsOf } from '../pr-check/run-words.ts';
import type { PrCheckPorts, RunOutcome } from './check-ports.ts';
import type { RunsRequest } from './check-requests.ts';

interface RunFolders {
  /** Data folders. */
  readonly base: string;
  readonly head: string;
  readonly imageOf: (run: PlannedRun) => RunImage;
}

/**
 * Executes the runs group by group with limited concurrency. A failed run does not stop the others; an interrupt ends all.
 */
export async function executeRuns(
  ports: Pick<PrCheckPorts, 'runner' | 'signal'>,
  request: RunsRequest,
  runs: readonly PlannedRun[],
  folders: RunFolders,
): Promise<RunResult[]> {
  const results: RunResult[] = [];
  for (const group of orderGroups(runs)) {
    const ended = await mapLimited(
      group,
      request.jobs,
      async (run, _, signal) => {
        const result = await one(ports, request, run, { ...folders, signal });
        request.onResult(result);
        return result;
      },
      ports.signal,
    );
    results.push(...ended);
  }
  return results;
}

async function one(
  { runner }: Pick<PrCheckPorts, 'runner'>,
  { logDir, timeout }: RunsRequest,
  run: PlannedRun,
  { base, head, imageOf, signal }: RunFolders & { readonly signal: AbortSignal },
): Promise<RunResult> {
  const log = join(logDir, run.log);
  try {
    const words = wordsOf(run);
    const ready = { run, words, variables: variablesOf(run, words, imageOf(run)), base, head };
    return resultOf(run, log, timeout, await runner.run(ready, { log, timeoutMs: timeout * 1000, signal }));
  } catch (thrown) {
    if (!(thrown instanceof EchelonError) && !isFileFault(thrown)) throw thrown;
    return { name: run.name, end: 'not-started', seconds: 0, reason: runner.redact(messageOf(thrown)) };
  }
}

/** A log that cannot be written, for example on a full disk, fails one run only. */
function isFileFault(thrown: unknown): boolean {
  return thrown instanceof Error && typeof (thrown as NodeJS.ErrnoException).syscall === 'string';
}

function resultOf(run: PlannedRun, log: string, timeout: number, outcome: RunOutcome): RunResult {
  const { end, exitCode, seconds, tail, reason } = outcome;
  const common = { name: run.name, seconds, log, tail, ...defined({ exitCode }) };
  if (end === 'timed-out') return { ...common, end, reason: `timed out after ${count(timeout, 'second')}` };
  if (end === 'not-started') return { ...common, end, reason: `could not be started: ${reason ?? ''}` };
  if (end === 'interrupted') return { ...common, end: 'failed', reason: 'interrupted' };
  if (exitCode === 0) return { ...common, end: 'passed' };
  return { ...common, end: 'failed', reason: exitCode == null ? 'killed by a signal' : `exit ${exitCode}` };
}
