import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GitSandbox, gitSandbox } from '../../../test/support/git-sandbox.ts';
import { lineDates, openRepository } from './index.ts';
import type { Repository } from './repository.ts';

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
