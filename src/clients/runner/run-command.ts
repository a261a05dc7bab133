import { type Command, type ProgramEnd, type ProgramOptions, runProgram } from './program.ts';
import { openLog } from './run-log.ts';

export interface RunOptions extends ProgramOptions {
  /** Where the output goes; a file of that name is replaced. */
  readonly log: string;
  readonly redact: (text: string) => string;
  readonly timeoutMs: number;
  readonly maxLogBytes?: number;
}

interface CommandResult extends Omit<ProgramEnd, 'endedBy'> {
  readonly seconds: number;
  /** The end of the output, secrets removed. */
  readonly tail: string;
}

const MAX_LOG_BYTES = 10 * 1024 * 1024;

/** Runs a program to its end, its output in a log. */
export async function runCommand(command: Command, options: RunOptions): Promise<CommandResult> {
  const started = performance.now();
  if (options.signal?.aborted === true) return { end: 'interrupted', seconds: 0, tail: '' };
  const log = openLog(options.log, { redact: options.redact, maxBytes: options.maxLogBytes ?? MAX_LOG_BYTES });
  try {
    const { endedBy: _, ...result } = await runProgram(command, options, { stdout: log.write, stderr: log.write });
    log.close();
    return { ...result, seconds: (performance.now() - started) / 1000, tail: log.tail() };
  } finally {
    log.close();
  }
}
