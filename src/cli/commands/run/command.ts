import { constants } from 'node:os';
import { basename } from 'node:path';
import { secretValues } from '../../../base/index.ts';
import { streamCommand } from '../../../clients/process/index.ts';
import {
  hostIntegration,
  type IntegrationHost,
  type IntegrationRunner,
  type Logger,
  type OpenIntegration,
  type PodContract,
} from '../../../runtime/index.ts';
import type { Context } from '../../context.ts';
import type { RunCommandFlags } from './commands.ts';

const GRACE_SECONDS = 20;
const TIMEOUT_SECONDS = 30 * 60;
/** For the loop to note the end of a run that was killed. */
const MARGIN_SECONDS = 5;

/** Runs a command as an integration until it is interrupted. */
export function runAnyCommand(ctx: Context, words: readonly string[], flags: RunCommandFlags): Promise<number> {
  const { grace = GRACE_SECONDS } = flags;
  const name = flags.name ?? (ctx.env['INTEGRATION_NAME'] || basename(words[0] ?? ''));
  const timeout = ctx.env['RUN_TIMEOUT_SECS'] ? {} : { timeout: TIMEOUT_SECONDS };
  const limits = { ...timeout, ...flags, grace: grace + MARGIN_SECONDS };
  return hostIntegration(ctx, name, limits, async (runner) =>
    commandIntegration(runner, words, ({ words: [file = '', ...args], ...run }) =>
      streamCommand({ file, args, env: run.env, cwd: ctx.cwd }, { ...run, graceMs: grace * 1000 }),
    ),
  );
}

/** How one run of a command ended. */
interface CommandEnd {
  readonly end: 'ended' | 'interrupted' | 'timed-out' | 'not-started';
  /** Null when a signal ended it. */
  readonly exitCode?: number | null;
  readonly endedBy?: NodeJS.Signals;
  /** Why it did not start. */
  readonly reason?: string;
}

/** Runs a program once; when the signal is aborted it is asked to end, and ended after a grace. */
type StartCommand = (run: {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly onLine: (line: string, stream: 'stdout' | 'stderr') => void;
}) => Promise<CommandEnd>;

/** The codes of a shell for a program that cannot be started or is not there. */
const CANNOT_START = 126;
const NOT_FOUND = 127;
const BY_SIGNAL = 128;

/** A command as an integration: each pass is one run of it, with the pod's arguments after its own. */
function commandIntegration(
  { io, contract, dryRun, logger }: IntegrationRunner<IntegrationHost>,
  command: readonly string[],
  start: StartCommand,
): OpenIntegration {
  for (const secret of secretValues(io.env)) io.onSecret?.(secret);
  const words = [...command, ...contract.extraArgs];
  const env = commandVariables(io.env, contract, dryRun);
  const onLine = (line: string, stream: 'stdout' | 'stderr'): void => {
    const event = outputEvent(line, stream);
    if (event !== undefined) logger[event.level](event.text);
  };
  return {
    pass: async ({ signal }) => {
      const ended = await start({ words, env, signal, onLine });
      const code = codeOf(ended);
      if (ended.end === 'interrupted') noteInterruption(ended, logger);
      // Not a failure: it was asked to end.
      if (ended.end === 'interrupted' && code !== 0) throw signal.reason;
      if (ended.end === 'not-started') notStarted(words[0] ?? '', ended, logger);
      return { code, changed: false };
    },
    close: () => undefined,
  };
}

function noteInterruption({ exitCode, endedBy }: CommandEnd, logger: Logger): void {
  if (endedBy === 'SIGKILL') logger.warn('command killed: it did not end in time');
  else logger.info('command interrupted', { code: exitCode, signal: endedBy });
}

function codeOf({ end, exitCode, endedBy, reason }: CommandEnd): number {
  if (end === 'not-started') return reason?.includes('ENOENT') ? NOT_FOUND : CANNOT_START;
  return exitCode ?? BY_SIGNAL + (endedBy === undefined ? 0 : constants.signals[endedBy]);
}

function notStarted(file: string, { reason }: CommandEnd, logger: Logger): void {
  logger.error('command not started', {
    command: file,
    reason,
    hint: 'check that the program is in the image, on PATH or given by its path, and executable',
  });
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The environment of one run: that of the pod, with the contract spelled out. What `echelon run` itself does for the command is
 * left out or switched off: the loop, the log file, the port.
 */
export function commandVariables(env: Variables, contract: PodContract, dryRun: boolean): Variables {
  const { LOG_FILE: _, ...kept } = env;
  return {
    ...kept,
    INTEGRATION_NAME: contract.integration,
    DRY_RUN: dryRun ? '--dry-run' : '--no-dry-run',
    RUN_ONCE: 'true',
    SHARDS: String(contract.shards),
    SHARD_ID: String(contract.shardId),
    SHARD_MEMBERSHIP: contract.shardMembership,
    PROMETHEUS_PORT: '0',
  };
}

type Level = 'debug' | 'info' | 'warn' | 'error';

const LEVELS: Readonly<Record<string, Level>> = {
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  WARNING: 'warn',
  ERROR: 'error',
  CRITICAL: 'error',
  FATAL: 'error',
};

/** `[ERROR] text`, or `ERROR: text` and `ERROR:name:text`, as Python's logging prints by default. */
const LEADING = /^(?:\[([A-Z]+)\]\s*|([A-Z]+):\s*)(?=\S)/;

/** A line of a command's output as an event: its own level and text, else that of the stream. Undefined for an empty one. */
export function outputEvent(
  line: string,
  stream: 'stdout' | 'stderr',
): { readonly level: Level; readonly text: string } | undefined {
  const text = line.trimEnd();
  if (text === '') return undefined;
  const found = LEADING.exec(text);
  const level = LEVELS[found?.[1] ?? found?.[2] ?? ''];
  if (found === null || level === undefined) return { level: stream === 'stdout' ? 'info' : 'warn', text };
  return { level, text: text.slice(found[0].length) };
}
