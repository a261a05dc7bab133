import { outputLines } from './output-lines.ts';
import { type Command, type ProgramEnd, type ProgramOptions, runProgram } from './program.ts';

export interface StreamOptions extends ProgramOptions {
  /** Called with every line of the output as it comes, without its end. */
  readonly onLine: (line: string, stream: 'stdout' | 'stderr') => void;
}

/** Runs a program to its end and hands over its output line by line, secrets included: the caller logs it. */
export async function streamCommand(command: Command, options: StreamOptions): Promise<ProgramEnd> {
  if (options.signal?.aborted === true) return { end: 'interrupted' };
  const lines = (stream: 'stdout' | 'stderr') =>
    outputLines(
      (text) => text,
      (line) => options.onLine(line, stream),
    );
  const [stdout, stderr] = [lines('stdout'), lines('stderr')];
  const ended = await runProgram(command, options, { stdout: stdout.write, stderr: stderr.write });
  stdout.end();
  stderr.end();
  return ended;
}
