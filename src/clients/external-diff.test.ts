import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type ComparedText, externalDiff } from './external-diff.ts';
import { withScratch } from './files/index.ts';

const PAIRS: ComparedText[] = [
  { file: 'c/n/changed.yaml', before: 'a: 1\n', after: 'a: 2\n' },
  { file: 'c/n/new.yaml', before: '', after: 'b: 1\n' },
];

/** Runs a shell script that is given the two folders after its own arguments. */
async function run(script: string, args = ''): Promise<{ stdout: string; stderr: string }> {
  return withScratch('external-diff', async (folder) => {
    const program = join(folder, 'compare');
    writeFileSync(program, `#!/bin/sh\n${script}\n`);
    chmodSync(program, 0o700);
    const [stdout, stderr]: [string[], string[]] = [[], []];
    await externalDiff(`${program} ${args}`, PAIRS, {
      stdout: (text) => void stdout.push(text),
      stderr: (text) => void stderr.push(text),
    });
    return { stdout: stdout.join(''), stderr: stderr.join('') };
  });
}

it('the program gets its arguments, then both folders with what exists in each', async () => {
  const { stdout } = await run('echo "$1"; cd "$2/c/n" && cat *; echo --; cd "$3/c/n" && cat *', '--brief');
  expect(stdout).toBe('--brief\na: 1\n--\na: 2\nb: 1\n');
});

it('exit code 1 means differences', async () => {
  expect(await run('echo note >&2; exit 1')).toEqual({ stdout: '', stderr: 'note\n' });
});

it.each(['exit 2', 'kill -9 $$'])('%s is an error', async (script) => {
  await expect(run(script)).rejects.toMatchObject({ code: 'DIFF_FAILED' });
});

it('a program that does not exist is an error', async () => {
  const ignored = { stdout: () => undefined, stderr: () => undefined };
  await expect(externalDiff('/nowhere/compare', PAIRS, ignored)).rejects.toMatchObject({ code: 'DIFF_FAILED' });
});
