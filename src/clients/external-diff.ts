import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { EchelonError, messageOf } from '../base/index.ts';
import { scratchFolder } from './files/index.ts';
import { runProcess } from './process/index.ts';

/** A file before and after a change, as text; empty if it does not exist. */
export interface ComparedText {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/** Receives the output in whole lines: a secret that comes in two parts is not recognised. */
interface DiffOutput {
  stdout(text: string): void;
  stderr(text: string): void;
  /** Stops the program. */
  readonly signal?: AbortSignal;
}

/** Runs the KUBECTL_EXTERNAL_DIFF program with two folders, as kubectl does; words after its name are arguments. */
export async function externalDiff(program: string, pairs: readonly ComparedText[], output: DiffOutput): Promise<void> {
  const root = scratchFolder('diff');
  try {
    const [live, merged] = [join(root, 'LIVE'), join(root, 'MERGED')];
    for (const folder of [live, merged]) mkdirSync(folder);
    for (const { file, before, after } of pairs) {
      if (before !== '') write(join(live, file), before);
      if (after !== '') write(join(merged, file), after);
    }
    await runProgram(program, [live, merged], output);
  } finally {
    rmSync(root, { recursive: true });
  }
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o600 });
}

/** Exit code 1 means differences; anything higher is a failure. */
async function runProgram(program: string, folders: readonly string[], output: DiffOutput): Promise<void> {
  const [command = '', ...args] = program.split(/\s+/).filter((word) => word !== '');
  const [stdout, stderr] = [wholeLines(output.stdout), wholeLines(output.stderr)];
  const streams = { onStdout: stdout.write, onStderr: stderr.write };
  const result = await runProcess(command, [...args, ...folders], {
    ...streams,
    signal: output.signal,
    leftovers: 'group-ends',
  });
  if (result.end === 'not-started') throw diffFailed(command, messageOf(result.cause));
  for (const { end } of [stdout, stderr]) end();
  output.signal?.throwIfAborted();
  if (result.code !== 0 && result.code !== 1) throw diffFailed(command, `exit code ${result.code}`);
}

function wholeLines(put: (text: string) => void): { write(chunk: Buffer): void; end(): void } {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  return {
    write: (chunk) => {
      const text = decoder.write(chunk);
      const end = text.lastIndexOf('\n') + 1;
      if (end > 0) put(rest + text.slice(0, end));
      rest = end > 0 ? text.slice(end) : rest + text;
    },
    end: () => {
      const last = rest + decoder.end();
      if (last !== '') put(last);
    },
  };
}

function diffFailed(command: string, why: string): EchelonError {
  return new EchelonError({
    code: 'DIFF_FAILED',
    message: `KUBECTL_EXTERNAL_DIFF program ${command} failed: ${why}`,
    hint: 'set KUBECTL_EXTERNAL_DIFF to a program that compares two folders, or unset it',
  });
}
