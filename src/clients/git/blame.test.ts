import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lineChanges, lineDates } from './blame.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'echelon-blame-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function git(args: readonly string[], date = '2026-01-01T00:00:00Z'): void {
  const env = { ...process.env, GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: '2020-01-01T00:00:00Z' };
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: root, env });
}

const write = (text: string): void => writeFileSync(join(root, 'f ü.yml'), text);

it('tells when each line was committed, and nothing of what is not', async () => {
  git(['init', '-q']);
  write('one\ntwo\n');
  git(['add', '-A']);
  git(['commit', '-qm', 'first']);
  write('zero\none\nTWO\n');
  git(['commit', '-qam', 'second'], '2026-02-03T04:05:06Z');
  write('zero\none\nTWO\nnew\n');
  const dates = lineDates(root);
  const found = await Promise.all([1, 2, 3, 4, 5].map((line) => dates('f ü.yml', line)));
  const [first, second] = ['2026-01-01T00:00:00.000Z', '2026-02-03T04:05:06.000Z'];
  expect(found.map((date) => date?.toISOString())).toEqual([second, first, second, undefined, undefined]);
  expect(await dates('absent.yml', 1)).toBeUndefined();
  expect(await lineChanges(root)('f ü.yml', 2)).toEqual({ at: new Date(first ?? ''), author: 'a' });
});

it('knows nothing outside a repository', async () => {
  write('one\n');
  expect(await lineDates(root)('f ü.yml', 1)).toBeUndefined();
});
