import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type GitSandbox, gitSandbox } from '../../../test/support/git-sandbox.ts';
import { describeWorkingTree, openRepository } from './index.ts';
import { lineChanges, lineDates, type WorkState } from './work-tree.ts';

describe('work state', () => {
  let box: GitSandbox;

  beforeEach(() => {
    box = gitSandbox();
    box.init('repo');
  });
  afterEach(() => box.dispose());

  async function state(...paths: string[]): Promise<WorkState> {
    return (await openRepository(box.path('repo'))).state(paths);
  }

  /** A branch that conflicts with main in data/a.yml. */
  function conflicting(): void {
    box.git('repo', 'checkout', '--quiet', '-b', 'side');
    box.commit('repo', 'side', { 'data/a.yml': 'a: side\n' });
    box.git('repo', 'checkout', '--quiet', 'main');
    box.commit('repo', 'main', { 'data/a.yml': 'a: main\n' });
  }

  function refused(...args: string[]): void {
    expect(() => box.git('repo', ...args)).toThrow();
  }

  describe('the state of a work tree', () => {
    it('is clean after a commit', async () => {
      expect(await state()).toEqual({ dirty: [], conflicts: [] });
    });

    it.each([
      { given: 'an edit', arrange: () => box.write('repo', 'data/a.yml', 'a: 2\n'), dirty: ['data/a.yml'] },
      { given: 'a staged edit', arrange: () => staged('data/a.yml'), dirty: ['data/a.yml'] },
      { given: 'a new file', arrange: () => box.write('repo', 'data/n/b.yml', 'b'), dirty: ['data/n/b.yml'] },
      { given: 'an odd name', arrange: () => box.write('repo', 'data/ä b\n".yml', 'b'), dirty: ['data/ä b\n".yml'] },
      { given: 'a staged odd name', arrange: () => staged('data/x  y.yml'), dirty: ['data/x  y.yml'] },
      {
        given: 'a move',
        arrange: () => box.git('repo', 'mv', 'data/a.yml', 'data/z.yml'),
        dirty: ['data/a.yml', 'data/z.yml'],
      },
      { given: 'an edit elsewhere', arrange: () => box.write('repo', 'README.md', 'y'), dirty: [] },
    ])('tells $given', async ({ arrange, dirty }) => {
      arrange();
      expect(await state('data')).toEqual({ dirty, conflicts: [] });
    });

    it('takes a path for a name and not for a pattern', async () => {
      box.write('repo', 'data/a.yml', 'a: 2\n');
      expect(await state('data/*.yml', '--help')).toEqual({ dirty: [], conflicts: [] });
    });

    it.each([
      { operation: 'merge', begin: () => refused('merge', '--quiet', 'side') },
      { operation: 'rebase', begin: () => refused('rebase', '--quiet', 'side') },
      { operation: 'cherry-pick', begin: () => refused('cherry-pick', 'side') },
    ])('tells a $operation with its conflicts', async ({ operation, begin }) => {
      conflicting();
      begin();
      expect(await state('data')).toEqual({ dirty: ['data/a.yml'], conflicts: ['data/a.yml'], operation });
    });

    it('tells a revert and a bisect', async () => {
      conflicting();
      box.commit('repo', 'again', { 'data/a.yml': 'a: again\n' });
      refused('revert', '--no-edit', 'HEAD~1');
      expect(await state('data')).toMatchObject({ operation: 'revert' });
      box.git('repo', 'revert', '--abort');
      box.git('repo', 'bisect', 'start');
      expect(await state('data')).toEqual({ dirty: [], conflicts: [], operation: 'bisect' });
    });

    it('of a linked work tree is its own', async () => {
      conflicting();
      box.git('repo', 'worktree', 'add', '--quiet', box.path('linked'), 'side');
      refused('merge', '--quiet', 'side');
      const linked = await openRepository(box.path('linked'));
      expect(await linked.state([])).toEqual({ dirty: [], conflicts: [] });
      expect(await state()).toMatchObject({ operation: 'merge' });
    });

    it('of a bare repository is told as none', async () => {
      box.git('', 'clone', '--quiet', '--bare', 'repo', 'bare.git');
      const bare = await openRepository(box.path('bare.git'));
      await expect(bare.state([])).rejects.toMatchObject({ code: 'NOT_A_REPOSITORY' });
    });
  });

  function staged(path: string): void {
    box.write('repo', path, 'staged');
    box.git('repo', 'add', '--', path);
  }
});

describe('revision', () => {
  const PATHS = ['data', 'resources', '.env'];

  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'echelon-git-'));
  });

  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(root, { recursive: true });
  });

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }

  function git(...args: string[]): string {
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];
    return execFileSync('git', [...identity, ...args], { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
  }

  function repository(): string {
    git('init', '--quiet');
    write('data/a.yml', 'a: 1\n');
    write('data/b.yml', 'b: 1\n');
    write('README.md', 'x\n');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'first');
    return git('rev-parse', 'HEAD');
  }

  describe('the working tree of a repository', () => {
    it('is clean right after a commit', async () => {
      const commit = repository();
      expect(commit).toMatch(/^[0-9a-f]{40}$/);
      expect(await describeWorkingTree(root, PATHS)).toEqual({ commit, dirty: false });
    });

    it.each([
      { given: 'an edited file', arrange: () => write('data/a.yml', 'a: 2\n') },
      { given: 'a new file', arrange: () => write('data/new/c.yml', 'c: 1\n') },
      { given: 'a new folder of resources', arrange: () => write('resources/r', 'x') },
      { given: 'a new .env', arrange: () => write('.env', 'export A=1\n') },
      { given: 'a removed file', arrange: () => rmSync(join(root, 'data/a.yml')) },
      { given: 'a staged removal', arrange: () => git('rm', '--quiet', '--cached', 'data/a.yml') },
      { given: 'a moved file', arrange: () => git('mv', 'data/a.yml', 'a.yml') },
      { given: 'a name that git quotes', arrange: () => write('data/ä "x"\n.yml', 'x') },
    ])('is dirty with $given', async ({ arrange }) => {
      const commit = repository();
      arrange();
      expect(await describeWorkingTree(root, PATHS)).toEqual({ commit, dirty: true });
    });

    it.each([
      { given: 'an edit elsewhere', arrange: () => write('README.md', 'y\n') },
      { given: 'a new file elsewhere', arrange: () => write('database/a.yml', 'x') },
      { given: 'another time of a file', arrange: () => utimesSync(join(root, 'data/a.yml'), 1, 1) },
      { given: 'an empty folder', arrange: () => mkdirSync(join(root, 'data/empty')) },
    ])('is clean with $given', async ({ arrange }) => {
      const commit = repository();
      arrange();
      expect(await describeWorkingTree(root, PATHS)).toEqual({ commit, dirty: false });
    });

    it('is dirty with an ignored file', async () => {
      write('.gitignore', 'local.yml\n');
      const commit = repository();
      write('data/local.yml', 'a: 1\n');
      expect(await describeWorkingTree(root, PATHS)).toEqual({ commit, dirty: true });
    });

    it('is clean with an ignored file that is hidden, and so not read', async () => {
      write('.gitignore', '.DS_Store\n');
      const commit = repository();
      write('data/.DS_Store', 'x');
      expect(await describeWorkingTree(root, PATHS)).toEqual({ commit, dirty: false });
    });

    it('of a file is none', async () => {
      repository();
      write('data/local.yml', 'a: 1\n');
      expect(await describeWorkingTree(`${root}/data/local.yml`, PATHS)).toBeUndefined();
    });

    it('is that of the checked-out commit, on a branch or not', async () => {
      const first = repository();
      write('data/a.yml', 'a: 2\n');
      git('commit', '--quiet', '--all', '--message', 'second');
      const second = git('rev-parse', 'HEAD');
      expect(await describeWorkingTree(root, PATHS)).toEqual({ commit: second, dirty: false });
      git('checkout', '--quiet', '--detach', first);
      expect(await describeWorkingTree(root, PATHS)).toEqual({ commit: first, dirty: false });
    });

    it('is told from a folder below its root by the paths below that folder', async () => {
      const commit = repository();
      write('data/sub/data/x.yml', 'x');
      expect(await describeWorkingTree(join(root, 'data'), ['data'])).toEqual({ commit, dirty: false });
      expect(await describeWorkingTree(join(root, 'data/sub'), ['data'])).toEqual({ commit, dirty: true });
    });

    it('is told of a linked working tree', async () => {
      const commit = repository();
      git('worktree', 'add', '--quiet', '--detach', 'linked');
      write('linked/data/a.yml', 'a: 2\n');
      expect(await describeWorkingTree(join(root, 'linked'), PATHS)).toEqual({ commit, dirty: true });
      expect(await describeWorkingTree(root, PATHS)).toEqual({ commit, dirty: false });
    });

    it('takes a path that looks like an option for a path', async () => {
      const commit = repository();
      expect(await describeWorkingTree(root, ['--help'])).toEqual({ commit, dirty: false });
    });
  });

  describe('what is no working tree is undefined', () => {
    it.each([
      { given: 'a folder outside a repository', arrange: () => undefined, folder: '' },
      { given: 'a repository without a commit', arrange: () => git('init', '--quiet'), folder: '' },
      { given: 'a bare repository', arrange: () => git('init', '--quiet', '--bare'), folder: '' },
      { given: 'a repository that is broken', arrange: () => write('.git', 'gitdir: nowhere\n'), folder: '' },
      { given: 'a folder that does not exist', arrange: () => undefined, folder: 'nowhere' },
    ])('for $given', async ({ arrange, folder }) => {
      vi.stubEnv('GIT_CEILING_DIRECTORIES', tmpdir());
      arrange();
      expect(await describeWorkingTree(join(root, folder), PATHS)).toBeUndefined();
    });

    it('for a machine without git', async () => {
      repository();
      vi.stubEnv('PATH', join(root, 'nothing-here'));
      expect(await describeWorkingTree(root, PATHS)).toBeUndefined();
    });
  });

  describe('reading', () => {
    it('finds the repository from the folder alone, whatever a hook has set', async () => {
      const commit = repository();
      vi.stubEnv('GIT_DIR', join(root, 'nowhere'));
      vi.stubEnv('GIT_WORK_TREE', tmpdir());
      vi.stubEnv('GIT_INDEX_FILE', join(root, 'no-index'));
      expect(await describeWorkingTree(root, PATHS)).toEqual({ commit, dirty: false });
    });

    it('writes nothing, not even what git would refresh', async () => {
      repository();
      const index = join(root, '.git/index');
      const before = readFileSync(index);
      utimesSync(join(root, 'data/a.yml'), 1, 1);
      await describeWorkingTree(root, PATHS);
      expect(readFileSync(index)).toEqual(before);
    });

    it('waits for no lock', async () => {
      const commit = repository();
      write('.git/index.lock', '');
      expect(await describeWorkingTree(root, PATHS)).toEqual({ commit, dirty: false });
    });

    it('runs no monitor that the repository names', async () => {
      const commit = repository();
      const proof = join(root, 'ran');
      writeFileSync(join(root, 'monitor'), `#!/bin/sh\ntouch '${proof}'\n`, { mode: 0o755 });
      git('config', 'core.fsmonitor', join(root, 'monitor'));
      expect(await describeWorkingTree(root, PATHS)).toEqual({ commit, dirty: false });
      expect(existsSync(proof)).toBe(false);
    });
  });
});

describe('blame', () => {
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
});
