import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { guideScript, guideSteps, isAsShown } from './guide.ts';

const folder = mkdtempSync(join(tmpdir(), 'echelon-guide-'));
afterAll(() => rmSync(folder, { recursive: true }));

const FENCE = '```';
const GUIDE = `# A guide
${FENCE}sh
export A=1
${FENCE}
<!-- file: a.txt -->
${FENCE}yaml
a: $A
${FENCE}
${FENCE}
$ echo $A; cat a.txt
1
…
$ echo \\
  two
two
${FENCE}
<!-- exits 3 -->
${FENCE}sh
(exit 3)
${FENCE}
<!-- output -->
${FENCE}
${FENCE}
<!-- not run: there is no moon here -->
${FENCE}sh
fly
${FENCE}
`;

describe('a guide as steps', () => {
  it('types blocks in one shell, saves files, and compares what is shown', () => {
    const steps = guideSteps(GUIDE);
    expect(steps.map(({ kind, line }) => `${line} ${kind}`)).toEqual([
      '2 type',
      '6 file',
      '9 type',
      '9 type',
      '18 type',
      '25 skip',
    ]);
    const { status } = spawnSync('bash', ['-c', guideScript(steps, folder)], { cwd: folder });
    expect(status).toBe(0);
    expect(readFileSync(join(folder, '2'), 'utf8')).toBe('1\na: $A\n');
    expect(readFileSync(join(folder, '3'), 'utf8')).toBe('two\n');
  });

  it('fails at the first block that fails, or that ends with another code than the guide says', () => {
    const run = (text: string) => spawnSync('bash', ['-c', guideScript(guideSteps(text), folder)], { cwd: folder });
    expect(run(`${FENCE}sh\nfalse\ntrue\n${FENCE}\n`).status).toBe(1);
    expect(run(`<!-- exits 2 -->\n${FENCE}sh\ntrue\n${FENCE}\n`).status).toBe(1);
  });
});

describe('what a guide shows', () => {
  it.each([
    ['a\nb\n', 'a\nb\n', true],
    ['a\nb\n', 'a\n', false],
    ['a\n', 'a\nb\n', false],
    ['a\n…\n', 'a\nb\nc\n', true],
    ['…\nc\n', 'a\nb\nc\n', true],
    ['a …, c\n', 'a b, c\n', true],
    ['a …, c\n', 'a b\n, c\n', false],
    ['NAME  AGE\n', 'NAME     AGE\n', true],
    ['a.c\n', 'abc\n', false],
  ])('%j is as shown by %j: %s', (shown, output, same) => {
    expect(isAsShown(shown, output)).toBe(same);
  });
});
