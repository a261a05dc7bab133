import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { describeWorkingTree } from './index.ts';

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
