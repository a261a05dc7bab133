import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type GitSandbox, gitSandbox } from '../../../test/support/git-sandbox.ts';
import { lineDates, openRepository } from './index.ts';
import type { Repository } from './repository.ts';

describe('history', () => {
  let box: GitSandbox;
  let repository: Repository;
  let root: string;
  let tip: string;

  /** main: first, one, two, three; side (from one): aside; other: a history of its own. */
  beforeAll(async () => {
    box = gitSandbox();
    root = box.init('repo');
    box.commit('repo', 'one', { 'data/b.yml': 'b: 1\n' });
    box.git('repo', 'branch', 'side');
    box.commit('repo', 'two\n\nwith a body', { 'data/b.yml': 'b: 2\n' });
    tip = box.commit('repo', 'drei – ü "quoted"', { 'data/c.yml': 'c: 1\n' });
    box.git('repo', 'checkout', '--quiet', 'side');
    box.commit('repo', 'aside', { 'side.yml': 'x' });
    box.git('repo', 'checkout', '--quiet', '--orphan', 'other');
    box.commit('repo', 'another root');
    box.git('repo', 'checkout', '--quiet', 'main');
    box.git('repo', 'config', 'log.showSignature', 'true');
    box.git('repo', 'config', 'color.ui', 'always');
    repository = await openRepository(box.path('repo'));
  });
  afterAll(() => box.dispose());

  describe('ancestors', () => {
    it.each([
      { older: 'main~1', newer: 'main', is: true },
      { older: 'main', newer: 'main~1', is: false },
      { older: 'main', newer: 'main', is: true },
      { older: 'side', newer: 'main', is: false },
      { older: 'other', newer: 'main', is: false },
    ])('$older before $newer: $is', async ({ older, newer, is }) => {
      expect(await repository.isAncestor(older, newer)).toBe(is);
    });

    it('two branches have the commit where they parted, or none', async () => {
      expect(await repository.mergeBase('main', 'side')).toBe(await repository.commitOf('main~2'));
      expect(await repository.mergeBase('main', 'other')).toBeUndefined();
    });
  });

  describe('the log', () => {
    it('is newest first, without the start and with the end', async () => {
      const { commits, total } = await repository.log(root, 'main', 10);
      expect(commits.map(({ subject }) => subject)).toEqual(['drei – ü "quoted"', 'two', 'one']);
      expect(total).toBe(3);
      expect(commits[0]).toMatchObject({ sha: tip, author: { name: 'Test', email: 'test@example.com' } });
      expect(commits[0]?.date.getTime()).toBeGreaterThan(Date.UTC(2020, 0));
    });

    it('is cut at the limit and still counts all', async () => {
      const { commits, total } = await repository.log(root, 'main', 1);
      expect(commits.map(({ sha }) => sha)).toEqual([tip]);
      expect(total).toBe(3);
      expect(await repository.log(root, 'main', 0)).toEqual({ commits: [], total: 3 });
    });

    it.each([
      { from: 'main', to: 'main~2', why: 'backwards' },
      { from: 'main', to: 'main', why: 'to itself' },
    ])('is empty $why', async ({ from, to }) => {
      expect(await repository.log(from, to, 10)).toEqual({ commits: [], total: 0 });
    });

    it('takes names from a .mailmap', async () => {
      box.git('', 'clone', '--quiet', 'repo', 'mapped');
      box.commit('mapped', 'mapped', { '.mailmap': 'Proper Name <proper@example.com> <test@example.com>\n' });
      const { commits } = await (await openRepository(box.path('mapped'))).log('HEAD~1', 'HEAD', 1);
      expect(commits[0]?.author).toEqual({ name: 'Proper Name', email: 'proper@example.com' });
    });

    it('of a ref that looks like an option is refused', async () => {
      await expect(repository.log('--all', 'main', 1)).rejects.toMatchObject({ code: 'REF_UNKNOWN' });
    });
  });

  describe('the history of paths', () => {
    it('has the commits that change them, at a merge what it changed of its first parent', async () => {
      box.init('paths');
      const opened = await openRepository(box.path('paths'));
      const one = box.commit('paths', 'one\n\nwith a body', { 'a file[1].txt': '1\n' });
      box.git('paths', 'checkout', '--quiet', '-b', 'topic');
      box.commit('paths', 'on a branch', { 'a file[1].txt': '2\n' });
      box.commit('paths', 'again', { 'a file[1].txt': '3\n' });
      box.git('paths', 'checkout', '--quiet', 'main');
      const other = box.commit('paths', 'elsewhere', { 'b.txt': '1\n' });
      box.git('paths', 'merge', '--quiet', '--no-ff', '--message', 'merged', 'topic');
      const found = await opened.pathHistory('HEAD', ['a file[1].txt'], 10);
      expect(found).toEqual([
        { sha: box.git('paths', 'rev-parse', 'HEAD'), parent: other, message: 'merged\n' },
        { sha: one, parent: expect.any(String), message: 'one\n\nwith a body\n' },
      ]);
      expect(await opened.pathHistory('HEAD', ['a file[1].txt'], 1)).toEqual(found.slice(0, 1));
      expect(await opened.pathHistory('HEAD', ['nowhere'], 10)).toEqual([]);
      const [first] = (await opened.pathHistory('HEAD', ['README.md'], 10)).slice(-1);
      expect(first).not.toHaveProperty('parent');
    });
  });

  describe('a shallow clone', () => {
    it('answers what it has and says when it would have to guess', async () => {
      box.git('', 'clone', '--quiet', '--depth', '2', `file://${box.path('repo')}`, 'shallow');
      const shallow = await openRepository(box.path('shallow'));
      expect(await shallow.isAncestor('HEAD~1', 'HEAD')).toBe(true);
      expect((await shallow.log('HEAD~1', 'HEAD', 5)).total).toBe(1);
      await expect(shallow.commitOf(root)).rejects.toMatchObject({
        code: 'REF_UNKNOWN',
        hint: expect.stringContaining('--unshallow'),
      });
      box.git('shallow', 'fetch', '--quiet', '--depth', '1', 'origin', `side:side`);
      expect(await shallow.isAncestor('HEAD', 'HEAD~1')).toBe(false);
      await expect(shallow.isAncestor('side', 'HEAD')).rejects.toMatchObject({ code: 'HISTORY_SHALLOW' });
      await expect(shallow.log('side', 'HEAD', 5)).rejects.toMatchObject({ code: 'HISTORY_SHALLOW' });
      await expect(shallow.mergeBase('side', 'HEAD')).rejects.toMatchObject({ code: 'HISTORY_SHALLOW' });
    });
  });
});

describe('refs', () => {
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

    it('is asked for together with others, by one process; and how far two are apart once, in both directions', async () => {
      const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
      box.write('bin', 'git', `#!/bin/sh\necho "$*" >> '${box.path('started')}'\nexec ${real} "$@"\n`, 0o755);
      vi.stubEnv('PATH', `${box.path('bin')}:${process.env['PATH']}`);
      const { first = '', second = '' } = commits;
      const fresh = await openRepository(box.path('clone'));
      const refs = [first, second, first.slice(0, 8), 'main', 'release/1.x', 'v1.0', 'HEAD'];
      const found = await Promise.all(refs.map((ref) => fresh.commitOf(ref)));
      expect(found).toEqual([first, second, first, first, second, first, first]);
      expect(await fresh.isAncestor(first, second)).toBe(true);
      expect(await fresh.isAncestor(second, first)).toBe(false);
      expect((await fresh.log(first, second, 0)).total).toBe(1);
      const started = readFileSync(box.path('started'), 'utf8').trimEnd().split('\n');
      expect(started.map((line) => line.replace(/^(?:-c \S+ )*/, '').split(' ')[0])).toEqual([
        'rev-parse',
        'cat-file',
        'rev-list',
        'log',
      ]);
      vi.unstubAllEnvs();
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
});

describe('refs, the remote first', () => {
  let root: string;
  /** Commits by name. */
  let commits: Record<string, string>;

  function git(folder: string, ...args: string[]): string {
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];
    return execFileSync('git', [...identity, ...args], {
      cwd: join(root, folder),
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  }

  function commit(folder: string, name: string): string {
    writeFileSync(join(root, folder, name), name);
    git(folder, 'add', '--all');
    git(folder, 'commit', '--quiet', '--message', name);
    return git(folder, 'rev-parse', 'HEAD');
  }

  /** A clone whose own main is older than the remote's, with a branch, tags and a branch of its own. */
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'echelon-resolve-ref-'));
    mkdirSync(join(root, 'origin'));
    git('origin', 'init', '--quiet', '--initial-branch', 'main');
    const old = commit('origin', 'old');
    git('origin', 'tag', 'v1');
    git('origin', 'tag', '--annotate', '--message', 'x', 'v1-annotated');
    git('', 'clone', '--quiet', 'origin', 'clone');
    const now = commit('origin', 'now');
    git('origin', 'branch', 'release/1.x', now);
    git('clone', 'fetch', '--quiet');
    git('clone', 'checkout', '--quiet', '-b', 'local');
    const local = commit('clone', 'local');
    commits = { old, now, local };
  });
  afterAll(() => rmSync(root, { recursive: true }));

  /** The remote's branches before local ones; undefined for what is not there. */
  async function resolveRef(folder: string, ref: string): Promise<string | undefined> {
    const codes = ['REF_UNKNOWN', 'NOT_A_REPOSITORY'];
    try {
      return await (await openRepository(folder)).commitOf(ref, { prefer: 'remote' });
    } catch (thrown) {
      expect(codes).toContain((thrown as { code?: string }).code);
      return undefined;
    }
  }

  describe('a ref of a clone', () => {
    it.each([
      { given: "a branch, the remote's before the local one", ref: 'main', is: 'now' },
      { given: 'a branch with a slash', ref: 'release/1.x', is: 'now' },
      { given: 'a branch that only the clone has', ref: 'local', is: 'local' },
      { given: 'a tag', ref: 'v1', is: 'old' },
      { given: 'a tag with a message, the commit behind it', ref: 'v1-annotated', is: 'old' },
      { given: 'a full name', ref: 'refs/tags/v1', is: 'old' },
      { given: 'HEAD, the default branch of the remote', ref: 'HEAD', is: 'now' },
    ])('is a commit: $given', async ({ ref, is }) => {
      expect(await resolveRef(join(root, 'clone'), ref)).toBe(commits[is]);
    });

    it.each([7, 12, 40])('is a commit: the first %i characters of one', async (length) => {
      expect(await resolveRef(join(root, 'clone'), (commits['old'] ?? '').slice(0, length))).toBe(commits['old']);
    });

    it.each([
      'nowhere',
      '',
      '--help',
      '-h',
      '--all',
      '--output=proof',
      'main; touch proof',
      '../main',
      'main:old',
      'v1^{tree}',
      '0000000',
      'f'.repeat(40),
    ])('is nothing: %j', async (ref) => {
      expect(await resolveRef(join(root, 'clone'), ref)).toBeUndefined();
    });

    it('is found in a bare clone as well, which has no remote branches', async () => {
      git('', 'clone', '--quiet', '--bare', 'origin', 'bare');
      expect(await resolveRef(join(root, 'bare'), 'main')).toBe(commits['now']);
    });

    it.each(['nowhere', ''])('is nothing where there is no repository: %j', async (folder) => {
      vi.stubEnv('GIT_CEILING_DIRECTORIES', tmpdir());
      expect(await resolveRef(join(root, folder), 'main')).toBeUndefined();
      vi.unstubAllEnvs();
    });
  });
});

describe('branches', () => {
  let box: GitSandbox;
  let first: string;
  let repository: Repository;

  beforeEach(async () => {
    box = gitSandbox();
    first = box.init('repo');
    repository = await openRepository(box.path('repo'));
  });
  afterEach(() => box.dispose());

  describe('a branch that need not be there', () => {
    it.each([
      { branch: 'main', is: 'first' },
      { branch: 'mian', is: undefined },
      { branch: '--all', is: undefined },
      { branch: '', is: undefined },
    ])('$branch is $is', async ({ branch, is }) => {
      expect(await repository.branchTip(branch)).toBe(is === undefined ? undefined : first);
    });

    it('is got from a remote, or is not', async () => {
      box.git('', 'clone', '--quiet', '--bare', 'repo', 'origin.git');
      box.git('repo', 'remote', 'add', 'origin', box.path('origin.git'));
      expect(await repository.remotes()).toEqual(['origin']);
      expect(await repository.fetchBranch('origin', 'main')).toBe(first);
      expect(await repository.fetchBranch('origin', 'other')).toBeUndefined();
      await expect(repository.fetchBranch('nowhere', 'main')).rejects.toMatchObject({ code: expect.any(String) });
    });
  });

  it('lines have the dates of a commit where one is named, whatever the work tree has', async () => {
    box.write('repo', 'data/a.yml', 'new: 1\na: 1\n');
    expect(await lineDates(box.path('repo'))('data/a.yml', 1)).toBeUndefined();
    expect(await lineDates(box.path('repo'), first)('data/a.yml', 1)).toBeInstanceOf(Date);
  });
});

describe('changes', () => {
  let box: GitSandbox;
  let first: string;

  beforeEach(() => {
    box = gitSandbox();
    first = box.init('repo');
  });
  afterEach(() => box.dispose());

  async function changed(): Promise<readonly unknown[]> {
    return (await openRepository(box.path('repo'))).changes(first, 'HEAD');
  }

  const LONG = Array.from({ length: 40 }, (_, line) => `line: ${line}\n`).join('');

  describe('the changes between two commits', () => {
    it('are none between equal ones', async () => {
      expect(await changed()).toEqual([]);
    });

    it('are added, modified and deleted files', async () => {
      box.git('repo', 'rm', '--quiet', 'README.md');
      box.commit('repo', 'x', { 'data/a.yml': 'a: 2\n', 'data/new/b.yml': 'b: 1\n' });
      expect(await changed()).toEqual([
        { path: 'README.md', change: 'deleted' },
        { path: 'data/a.yml', change: 'modified' },
        { path: 'data/new/b.yml', change: 'added' },
      ]);
    });

    it.each(['a b.yml', 'ä/ü ß.yml', 'a\nb.yml', 'a\tb "c" \\d.yml', '-x.yml', ':(glob)*.yml', 'R100'])(
      'have the name as it is: %j',
      async (path) => {
        box.commit('repo', 'x', { [path]: 'x' });
        expect(await changed()).toEqual([{ path, change: 'added' }]);
      },
    );

    it('are renames where the content stayed much the same', async () => {
      first = box.commit('repo', 'long', { 'data/long.yml': LONG });
      box.git('repo', 'mv', 'data/long.yml', 'data/moved to.yml');
      box.commit('repo', 'x', { 'data/moved to.yml': `${LONG}more: 1\n`, 'z.yml': 'z' });
      expect(await changed()).toEqual([
        { path: 'data/moved to.yml', change: 'renamed', from: 'data/long.yml' },
        { path: 'z.yml', change: 'added' },
      ]);
    });

    it('take a change of mode or kind for a modified file', async () => {
      box.git('repo', 'update-index', '--chmod=+x', 'README.md');
      box.git('repo', 'commit', '--quiet', '--message', 'x');
      expect(await changed()).toEqual([{ path: 'README.md', change: 'modified' }]);
    });

    it('have a submodule as one path', async () => {
      box.git('repo', 'update-index', '--add', '--cacheinfo', `160000,${first},vendor/lib`);
      box.git('repo', 'commit', '--quiet', '--message', 'x');
      expect(await changed()).toEqual([{ path: 'vendor/lib', change: 'added' }]);
    });
  });
});
