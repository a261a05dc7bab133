import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GitSandbox, gitSandbox } from '../../../test/support/git-sandbox.ts';
import { openRepository } from './index.ts';
import type { WorkState } from './repository.ts';

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
