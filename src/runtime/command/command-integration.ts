import { constants } from 'node:os';
import { secretValues } from '../../base/index.ts';
import type { IntegrationHost, IntegrationRunner, OpenIntegration } from '../host.ts';
import type { Logger } from '../logs.ts';
import { commandVariables } from './command-variables.ts';
import { outputEvent } from './output-level.ts';

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
export function commandIntegration(
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
