import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GitSandbox, gitSandbox } from '../../../test/support/git-sandbox.ts';
import { openRepository } from './index.ts';

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
