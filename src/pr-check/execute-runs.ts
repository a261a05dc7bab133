import { join } from 'node:path';
import {
  count,
  defined,
  EchelonError,
  imageRefParts,
  mapLimited,
  messageOf,
  shellText,
  shellWords,
} from '../base/index.ts';
import { openShadow, type ShadowReport, type ShadowShard } from '../shadow/index.ts';
import { orderGroups, type RunImage } from './plan-runs.ts';
import type { PrCheckPorts, PrCheckRequest, RunOutcome, RunsRequest, ShadowsRequest } from './ports.ts';
import type { PlannedRun, RunResult, ShadowChecks } from './report.ts';
import { type WorkloadChange, type WorkloadReport, workloadKey } from './workloads.ts';

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
        const result = await executeRun(ports, request, run, { ...folders, signal });
        request.onResult(result);
        return result;
      },
      ports.signal,
    );
    results.push(...ended);
  }
  return results;
}

async function executeRun(
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

/** A log that cannot be written, for example on a full disk, fails executeRun run only. */
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

/** The command line of a run: the integration's subcommand and its arguments. */
export function wordsOf(run: PlannedRun): string[] {
  const words = [...shellWords(run.command, `pr_check.cmd of ${run.integration}`), ...run.args];
  refuseOptions(run, words);
  return words;
}

/** The data under check must not be able to turn a dry run into a real one. */
function refuseOptions({ integration }: PlannedRun, words: readonly string[]): void {
  const [name = ''] = words;
  if (/^[A-Za-z0-9]/.test(name) && !words.some(disablesDryRun)) return;
  throw new EchelonError({
    code: 'CHECK_COMMAND_INVALID',
    message: `pr_check.cmd of ${integration} ${name === '' ? 'is empty' : 'starts with an option, or disables dry-run'}`,
    hint: 'start it with the subcommand, and remove --no-dry-run',
  });
}

/** Any form: `--no-dry-run`, `--dry-run=false`, `--dry-run no`. Only `--dry-run` by itself or with yes is one. */
function disablesDryRun(word: string, index: number, words: readonly string[]): boolean {
  const [, option = '', value = words[index + 1] ?? ''] =
    /^--?(no-?dry-?run|dry-?run)(?:=(.*))?$/i.exec(word.replaceAll('_', '-')) ?? [];
  if (option === '') return false;
  const isJoined = word.includes('=');
  if (/^no/i.test(option)) return !/^(?:false|no|0|off)$/i.test(isJoined ? value : '');
  return isJoined ? !/^(?:true|yes|1|on)$/i.test(value) : /^(?:false|no|0|off|n|f)$/i.test(value);
}

/** The environment variables of pods, so that images and commands need no support for checks. */
function variablesOf(run: PlannedRun, words: readonly string[], image: RunImage): Record<string, string> {
  const [name = '', ...args] = words;
  const { tag, digest } = imageRefParts(image.tag);
  return {
    ...run.environment,
    INTEGRATION_NAME: name,
    INTEGRATION_EXTRA_ARGS: shellText(args),
    DRY_RUN: '--dry-run',
    MANAGER_DRY_RUN: '--dry-run',
    RUN_ONCE: 'true',
    IMAGE: image.repository,
    IMAGE_TAG: tag,
    ...defined({ IMAGE_DIGEST: digest }),
  };
}

interface ShadowInput extends Pick<WorkloadReport, 'difference'> {
  readonly head: Parameters<PrCheckPorts['shadowRunner']>[0];
  readonly scratch: string;
}

/** Compares the images that a change introduces with those at its base, on the data of its head. */
export async function runShadows(
  ports: PrCheckPorts,
  { capabilities }: PrCheckRequest,
  request: ShadowsRequest,
  { head, difference, scratch }: ShadowInput,
): Promise<ShadowChecks> {
  const { moves, left } = imageMoves(difference.changes, request.most);
  const notes = left === 0 ? [] : [`${count(left, 'more shard')} with another image not compared: raise --max-shadows`];
  if (moves.length === 0) return { reports: [], notes };
  const runner = ports.shadowRunner(head, scratch);
  const jobs = Math.max(1, Math.floor(request.jobs / moves.length));
  const compared = await mapLimited(
    moves,
    request.jobs,
    (move, _, signal): Promise<ShadowReport | string> => {
      const shadow = openShadow(
        { id: ports.shadowId, ...defined({ capabilities }) },
        {
          ...{ instance: head.instance, runner, signal, dataChanged: async () => undefined },
          runningImages: async () => (shard) => imageAtBase(move, shard),
        },
      );
      const { integration, candidate } = move;
      const only = (shard: ShadowShard): boolean => imageAtBase(move, shard) !== undefined;
      const asked = { integration, candidate, only, repeat: 0, jobs, timeout: request.timeout };
      return shadow.compare({ ...asked, onResult: () => undefined }).catch(refusal);
    },
    ports.signal,
  );
  return {
    reports: compared.filter((one) => typeof one !== 'string'),
    notes: [...compared.filter((one) => typeof one === 'string'), ...notes],
  };
}

function imageAtBase({ from }: ImageMove, { cluster, namespace, kind, object }: ShadowShard) {
  const image = from.get(workloadKey(cluster, namespace, kind, object));
  return image === undefined ? undefined : { image };
}

/** An integration that must not be run, or rules that cannot be read, keep nothing else from being compared. */
function refusal(thrown: unknown): string {
  if (thrown instanceof EchelonError) return thrown.message;
  throw thrown;
}

/** Shards of an integration that a change moves to one image. */
interface ImageMove {
  readonly integration: string;
  readonly candidate: string;
  /** The image at base of each workload, by `workloadKey`. */
  readonly from: ReadonlyMap<string, string>;
}

interface ImageMoves {
  readonly moves: readonly ImageMove[];
  /** Shards beyond the limit. */
  readonly left: number;
}

/**
 * The shards that get another image, at most as many as given. One shard of every integration, environment and image comes
 * before a second one.
 */
export function imageMoves(changes: readonly WorkloadChange[], most: number): ImageMoves {
  const moved = changes.flatMap((change) => {
    const { integration, environment, image } = change;
    if (integration === undefined || image?.from === undefined || image.to === undefined) return [];
    return [{ ...change, integration, environment, from: image.from, candidate: image.to }];
  });
  const alike = Map.groupBy(moved, ({ integration, environment, candidate }) =>
    JSON.stringify([integration, environment, candidate]),
  );
  const inTurn = [...alike.values()]
    .flatMap((group) => group.map((move, turn) => ({ move, turn })))
    .toSorted((a, b) => a.turn - b.turn)
    .map(({ move }) => move);
  const chosen = Map.groupBy(inTurn.slice(0, most), ({ integration, candidate }) =>
    JSON.stringify([integration, candidate]),
  );
  const moves = [...chosen.values()].flatMap((group) => {
    const [first] = group;
    const from = new Map(
      group.map((move) => [workloadKey(move.cluster, move.namespace, move.kind, move.name), move.from] as const),
    );
    return first === undefined ? [] : [{ integration: first.integration, candidate: first.candidate, from }];
  });
  return { moves, left: Math.max(0, inTurn.length - most) };
}
