import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { EchelonError, messageOf } from '../base/index.ts';
import { scratchFolder } from './files/index.ts';

/** A file before and after a change, as text; empty if it does not exist. */
export interface ComparedText {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/** What the program prints, in whole lines: a secret that comes in two parts is not recognised. */
interface DiffOutput {
  stdout(text: string): void;
  stderr(text: string): void;
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
function runProgram(program: string, folders: readonly string[], output: DiffOutput): Promise<void> {
  const [command = '', ...args] = program.split(/\s+/).filter((word) => word !== '');
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args, ...folders], { stdio: ['ignore', 'pipe', 'pipe'] });
    const streams = [wholeLines(output.stdout), wholeLines(output.stderr)] as const;
    child.stdout.on('data', streams[0].write);
    child.stderr.on('data', streams[1].write);
    child.on('error', (error) => reject(diffFailed(command, messageOf(error))));
    child.on('close', (code) => {
      for (const { end } of streams) end();
      if (code === 0 || code === 1) resolve();
      else reject(diffFailed(command, `exit code ${code}`));
    });
  });
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
