import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GitSandbox, gitSandbox } from '../../../test/support/git-sandbox.ts';
import { openRepository } from './index.ts';
import type { Repository } from './repository.ts';

let box: GitSandbox;
let clone: Repository;
let commits: Record<string, string>;

/** A clone whose own main is behind that of its origin. */
beforeAll(async () => {
  box = gitSandbox();
  const first = box.init('origin');
  box.git('origin', 'tag', '--annotate', '--message', 'x', 'v1.0');
  box.git('', 'clone', '--quiet', 'origin', 'clone');
  const second = box.commit('origin', 'second', { 'data/b.yml': 'b: 1\n' });
  box.git('origin', 'branch', 'release/1.x');
  box.git('clone', 'fetch', '--quiet');
  commits = { first, second };
  clone = await openRepository(box.path('clone'));
});
afterAll(() => box.dispose());

describe('a ref', () => {
  it.each([
    { given: 'a local branch before that of the remote', ref: 'main', is: 'first' },
    { given: "the remote's branch by its full name", ref: 'origin/main', is: 'second' },
    { given: 'a branch that only the remote has', ref: 'release/1.x', is: 'second' },
    { given: 'a tag with a message', ref: 'v1.0', is: 'first' },
    { given: 'HEAD', ref: 'HEAD', is: 'first' },
    { given: 'an ancestor', ref: 'origin/main~1', is: 'first' },
  ])('is a commit: $given', async ({ ref, is }) => {
    expect(await clone.commitOf(ref)).toBe(commits[is]);
  });

  it('is a commit: a short sha', async () => {
    expect(await clone.commitOf((commits['second'] ?? '').slice(0, 7))).toBe(commits['second']);
  });

  it.each([
    '',
    '--upload-pack=touch proof',
    '--output=proof',
    '-h',
    'main\nHEAD',
    'main\0',
    'main:README.md',
    'main^{tree}',
    'f'.repeat(40),
    '../main',
  ])('is unknown: %j', async (ref) => {
    await expect(clone.commitOf(ref)).rejects.toMatchObject({ code: 'REF_UNKNOWN' });
    expect(existsSync(box.path('clone', 'proof'))).toBe(false);
  });

  it.each([
    { ref: 'mian', near: 'main' },
    { ref: 'v1.1', near: 'v1.0' },
    { ref: 'release/1.y', near: 'release/1.x' },
  ])('that is mistyped gets a hint: $ref', async ({ ref, near }) => {
    const failure = await clone.commitOf(ref).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ code: 'REF_UNKNOWN', message: expect.stringContaining(ref) });
    expect((failure as { hint: string }).hint).toContain(near);
  });

  it('that stands for several commits is told as such', async () => {
    const commits = Array.from(
      { length: 1500 },
      (_, n) => `commit refs/heads/main\ncommitter T <t@x> ${n} +0000\ndata 0\n`,
    );
    box.git('', 'init', '--quiet', '--bare', 'many');
    execFileSync('git', ['fast-import', '--quiet'], { cwd: box.path('many'), input: commits.join('\n') });
    const shas = box.git('many', 'rev-list', 'main').split('\n');
    const groups = Map.groupBy(shas, (sha) => sha.slice(0, 4));
    const shared = [...groups.values()].find((group) => group.length > 1)?.[0] ?? '';
    const many = await openRepository(box.path('many'));
    await expect(many.commitOf(shared.slice(0, 4))).rejects.toMatchObject({ code: 'REF_AMBIGUOUS' });
    expect(await many.commitOf(shared)).toBe(shared);
  });
});

describe('the default branch', () => {
  it('is what the remote says', async () => {
    box.git('', 'clone', '--quiet', 'origin', 'renamed');
    box.git('renamed', 'remote', 'set-head', 'origin', 'release/1.x');
    expect(await (await openRepository(box.path('renamed'))).defaultBranch()).toBe('release/1.x');
    expect(await clone.defaultBranch()).toBe('main');
  });

  it.each(['main', 'master'])('is %s where the remote said nothing', async (branch) => {
    const folder = `local-${branch}`;
    box.init(folder);
    box.git(folder, 'branch', '--move', branch);
    expect(await (await openRepository(box.path(folder))).defaultBranch()).toBe(branch);
  });

  it.each(['trunk', 'main/old'])('is unknown where nothing tells it and there is only %s', async (branch) => {
    const folder = `unknown-${branch.length}`;
    box.init(folder);
    box.git(folder, 'branch', '--move', 'trunk');
    box.git(folder, 'branch', '--move', branch);
    const repository = await openRepository(box.path(folder));
    await expect(repository.defaultBranch()).rejects.toMatchObject({ code: 'DEFAULT_BRANCH_UNKNOWN' });
    await expect(repository.defaultBranch('--exec=x')).rejects.toMatchObject({ code: 'REMOTE_INVALID' });
  });
});
