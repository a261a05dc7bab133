import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type GitSandbox, gitSandbox } from '../../../test/support/git-sandbox.ts';
import { defined } from '../../base/index.ts';
import type { NewCommit } from './commit-files.ts';
import { openRepository } from './index.ts';
import type { Repository } from './repository.ts';

let box: GitSandbox;
let repository: Repository;
let first: string;

beforeEach(async () => {
  box = gitSandbox();
  first = box.init('repo');
  repository = await openRepository(box.path('repo'));
});
afterEach(() => box.dispose());

function files(contents: Readonly<Record<string, string>>): ReadonlyMap<string, Uint8Array> {
  return new Map(Object.entries(contents).map(([path, text]) => [path, Buffer.from(text)]));
}

function promotion(more: Partial<NewCommit> = {}): NewCommit {
  return {
    branch: 'promote/x',
    parent: 'main',
    files: files({ 'data/a.yml': 'a: 2\n' }),
    message: 'Promote\n\nbody ü\n',
    ...more,
  };
}

describe('a commit of files', () => {
  it('changes these files on a branch, and neither index nor work tree', async () => {
    box.write('repo', 'data/a.yml', 'dirty: 1\n');
    box.write('repo', 'untracked.yml', 'x');
    const index = readFileSync(box.path('repo/.git/index'));
    const sha = await repository.commitFiles(promotion());
    expect(box.git('repo', 'rev-parse', 'promote/x')).toBe(sha);
    expect(box.git('repo', 'log', '--format=%an <%ae>|%cn|%P|%B', '-1', sha)).toBe(
      `Test <test@example.com>|Test|${first}|Promote\n\nbody ü`,
    );
    expect(await repository.changes(first, sha)).toEqual([{ path: 'data/a.yml', change: 'modified' }]);
    expect(box.git('repo', 'show', `${sha}:data/a.yml`)).toBe('a: 2');
    expect(readFileSync(box.path('repo/.git/index'))).toEqual(index);
    expect(readFileSync(box.path('repo/data/a.yml'), 'utf8')).toBe('dirty: 1\n');
    expect(await repository.head()).toEqual({ commit: first, branch: 'main' });
  });

  it('keeps modes and odd names, and adds new files', async () => {
    box.write('repo', 'run it.sh', 'old', 0o755);
    box.commit('repo', 'x', { 'data/ü\n".yml': 'old' });
    const contents = { 'run it.sh': 'new', 'data/ü\n".yml': 'new', 'new/deep/file.yml': 'new' };
    const sha = await repository.commitFiles(promotion({ files: files(contents) }));
    expect(box.git('repo', 'ls-tree', sha, 'run it.sh')).toMatch(/^100755 /);
    for (const [path, text] of Object.entries(contents)) {
      expect(Buffer.from((await repository.readFile(sha, path)) ?? []).toString()).toBe(text);
    }
    expect(await repository.readFile(sha, 'README.md')).toBeDefined();
  });

  it('stores contents as they are, whatever core.autocrlf and filters say', async () => {
    box.write('repo', '.gitattributes', '*.yml text=auto filter=loud\n');
    box.commit('repo', 'x');
    box.git('repo', 'config', 'core.autocrlf', 'true');
    box.git('repo', 'config', 'filter.loud.clean', 'tr a-z A-Z');
    const contents = { 'data/a.yml': 'a: crlf\r\n', 'data/b.yml': 'b: lf\n' };
    const sha = await repository.commitFiles(promotion({ files: files(contents) }));
    for (const [path, text] of Object.entries(contents)) {
      expect(Buffer.from((await repository.readFile(sha, path)) ?? []).toString()).toBe(text);
    }
  });

  it('runs no hook', async () => {
    const hooks = ['pre-commit', 'commit-msg', 'post-commit', 'reference-transaction', 'prepare-commit-msg'];
    for (const hook of hooks) {
      box.write('repo', `.git/hooks/${hook}`, `#!/bin/sh\ntouch '${box.path('proof')}'\nexit 1\n`, 0o755);
    }
    await repository.commitFiles(promotion());
    expect(existsSync(box.path('proof'))).toBe(false);
  });

  it('signs nothing, even where commits are to be signed', async () => {
    box.git('repo', 'config', 'commit.gpgSign', 'true');
    box.git('repo', 'config', 'gpg.program', box.path('nowhere'));
    const sha = await repository.commitFiles(promotion());
    expect(box.git('repo', 'cat-file', 'commit', sha)).not.toContain('gpgsig');
  });

  it('works in a bare repository', async () => {
    box.git('', 'clone', '--quiet', '--bare', 'repo', 'bare.git');
    const bare = await openRepository(box.path('bare.git'));
    const sha = await bare.commitFiles(promotion());
    expect(box.git('bare.git', 'show', `${sha}:data/a.yml`)).toBe('a: 2');
  });
});

describe('who commits', () => {
  it('is the user of the settings', async () => {
    for (const name of ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL']) {
      vi.stubEnv(name, undefined);
    }
    box.git('repo', 'config', 'user.name', 'Set');
    box.git('repo', 'config', 'user.email', 'set@example.com');
    const sha = await repository.commitFiles(promotion());
    expect(box.git('repo', 'log', '--format=%an %ae %cn %ce', '-1', sha)).toBe(
      'Set set@example.com Set set@example.com',
    );
  });

  it('is never made up from the machine', async () => {
    for (const name of ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL', 'EMAIL']) {
      vi.stubEnv(name, undefined);
    }
    await expect(repository.commitFiles(promotion())).rejects.toMatchObject({
      code: 'COMMIT_IDENTITY',
      hint: expect.stringContaining('user.name'),
    });
    expect(() => box.git('repo', 'rev-parse', '--verify', 'promote/x')).toThrow();
  });
});

describe('a branch', () => {
  it('that exists is moved from where it was expected', async () => {
    const one = await repository.commitFiles(promotion());
    const two = await repository.commitFiles(promotion({ message: 'again', expected: one }));
    expect(box.git('repo', 'rev-parse', 'promote/x', 'promote/x~1').split('\n')).toEqual([two, first]);
  });

  it('that is already as it would be stays', async () => {
    const one = await repository.commitFiles(promotion());
    vi.stubEnv('GIT_COMMITTER_DATE', '2001-01-01T00:00:00Z');
    expect(await repository.commitFiles(promotion({ expected: one }))).toBe(one);
  });

  it.each([
    { given: 'one that exists, expected not to', expected: undefined },
    { given: 'one that somebody else moved', expected: 'HEAD' },
  ])('is not overwritten: $given', async ({ expected }) => {
    const one = await repository.commitFiles(promotion());
    const other = promotion({ message: 'other', ...defined({ expected }) });
    await expect(repository.commitFiles(other)).rejects.toMatchObject({ code: 'BRANCH_MOVED' });
    expect(box.git('repo', 'rev-parse', 'promote/x')).toBe(one);
  });

  it('that is gone is not made again', async () => {
    await expect(repository.commitFiles(promotion({ expected: first }))).rejects.toMatchObject({
      code: 'BRANCH_MOVED',
    });
  });

  it('goes to one of two that race', async () => {
    const tip = await repository.commitFiles(promotion());
    const racers = ['left', 'right'].map((message) => repository.commitFiles(promotion({ message, expected: tip })));
    const outcomes = await Promise.allSettled(racers);
    const won = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(won.map(({ value }) => value)).toEqual([box.git('repo', 'rev-parse', 'promote/x')]);
    expect(lost.map(({ reason }) => (reason as { code: string }).code)).toEqual(['BRANCH_MOVED']);
  });

  it('that is locked is told with what to do', async () => {
    box.write('repo', '.git/refs/heads/promote/x.lock', '');
    await expect(repository.commitFiles(promotion())).rejects.toMatchObject({
      code: 'REF_LOCKED',
      hint: expect.stringContaining('lock file'),
    });
  });

  it.each(['linked', 'repo'])('that is checked out in %s is refused', async (where) => {
    box.git('repo', 'branch', 'promote/x');
    if (where === 'repo') box.git('repo', 'checkout', '--quiet', 'promote/x');
    else box.git('repo', 'worktree', 'add', '--quiet', box.path('linked'), 'promote/x');
    await expect(repository.commitFiles(promotion({ expected: first }))).rejects.toMatchObject({
      code: 'BRANCH_CHECKED_OUT',
      message: expect.stringContaining(box.path(where)),
    });
  });

  it.each(['', '-x', 'a..b', 'a b', 'x.lock', 'refs/../x', '@{-1}', 'a\nb', '/x'])(
    'cannot be named %j',
    async (branch) => {
      await expect(repository.commitFiles(promotion({ branch }))).rejects.toMatchObject({ code: 'BRANCH_INVALID' });
    },
  );
});

describe('what cannot be committed', () => {
  it('is what the parent already has', async () => {
    const same = promotion({ files: files({ 'data/a.yml': 'a: 1\n' }) });
    await expect(repository.commitFiles(same)).rejects.toMatchObject({ code: 'NOTHING_TO_COMMIT' });
  });

  it.each([
    '../x',
    '/x',
    '.git/config',
    'data/.GIT/x',
    'data',
    'README.md/x',
    'a//b',
    'link',
    'link/x',
    'lib',
    'lib/x',
    '',
  ])('is a file named %j', async (path) => {
    symlinkSync('data', box.path('repo/link'));
    box.git('repo', 'add', 'link');
    box.git('repo', 'update-index', '--add', '--cacheinfo', `160000,${first},lib`);
    box.git('repo', 'commit', '--quiet', '--message', 'odd');
    const odd = promotion({ files: files({ [path]: 'x' }) });
    await expect(repository.commitFiles(odd)).rejects.toMatchObject({ code: 'PATH_REFUSED' });
  });
});
