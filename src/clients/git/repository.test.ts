import { mkdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type GitSandbox, gitSandbox } from '../../../test/support/git-sandbox.ts';
import { identityIn, openRepository } from './index.ts';

describe('repository', () => {
  let box: GitSandbox;

  beforeEach(() => {
    box = gitSandbox();
  });
  afterEach(() => box.dispose());

  describe('a repository is found', () => {
    it.each([
      { from: 'its top folder', folder: 'repo', root: 'repo' },
      { from: 'a folder inside', folder: 'repo/data', root: 'repo' },
      { from: 'a linked work tree', folder: 'linked', root: 'linked' },
      { from: 'a bare repository', folder: 'bare.git', root: 'bare.git' },
      { from: 'the folder that git keeps', folder: 'repo/.git', root: 'repo/.git' },
      { from: 'a folder with a space and a line break', folder: 'odd \n name', root: 'odd \n name' },
      { from: 'a bare repository with a line break in its name', folder: 'bare \n name', root: 'bare \n name' },
    ])('from $from', async ({ folder, root }) => {
      const first = box.init('repo');
      box.git('repo', 'worktree', 'add', '--quiet', '--detach', box.path('linked'));
      box.git('', 'clone', '--quiet', '--bare', 'repo', 'bare.git');
      box.git('', 'clone', '--quiet', 'repo', 'odd \n name');
      box.git('', 'clone', '--quiet', '--bare', 'repo', 'bare \n name');
      const repository = await openRepository(box.path(folder));
      expect(repository.root).toBe(box.path(root));
      expect((await repository.head()).commit).toBe(first);
    });

    it('from the folder alone, whatever a hook has set', async () => {
      box.init('repo');
      vi.stubEnv('GIT_DIR', box.path('nowhere'));
      vi.stubEnv('GIT_WORK_TREE', box.root);
      vi.stubEnv('GIT_INDEX_FILE', box.path('no-index'));
      const repository = await openRepository(box.path('repo'));
      expect(await repository.state([])).toEqual({ dirty: [], conflicts: [] });
    });
  });

  describe('what is no repository is told', () => {
    it.each([
      { given: 'a folder outside of any', folder: '', code: 'NOT_A_REPOSITORY' },
      { given: 'a folder that does not exist', folder: 'nowhere', code: 'NOT_A_REPOSITORY' },
    ])('$given', async ({ folder, code }) => {
      await expect(openRepository(box.path(folder))).rejects.toMatchObject({
        code,
        message: expect.stringContaining(box.path(folder)),
      });
    });

    it('a machine without git', async () => {
      box.init('repo');
      mkdirSync(box.path('empty'));
      vi.stubEnv('PATH', box.path('empty'));
      await expect(openRepository(box.path('repo'))).rejects.toMatchObject({ code: 'GIT_MISSING' });
    });
  });

  describe('the head', () => {
    it('has a branch unless it is detached', async () => {
      const first = box.init('repo');
      const repository = await openRepository(box.path('repo'));
      box.git('repo', 'checkout', '--quiet', '-b', 'release/1.x');
      expect(await repository.head()).toEqual({ commit: first, branch: 'release/1.x' });
      box.git('repo', 'checkout', '--quiet', '--detach');
      expect(await repository.head()).toEqual({ commit: first });
    });

    it('of a repository without a commit is told as such', async () => {
      box.git('', 'init', '--quiet', 'empty');
      const repository = await openRepository(box.path('empty'));
      await expect(repository.head()).rejects.toMatchObject({ code: 'REF_UNKNOWN' });
    });
  });
});

describe('identity', () => {
  let box: GitSandbox;
  beforeEach(() => {
    box = gitSandbox();
    box.git('', 'init', '--quiet', '--template=', 'repo');
  });
  afterEach(() => box.dispose());

  function forget(): void {
    for (const role of ['AUTHOR', 'COMMITTER']) {
      vi.stubEnv(`GIT_${role}_NAME`, undefined);
      vi.stubEnv(`GIT_${role}_EMAIL`, undefined);
    }
    vi.stubEnv('EMAIL', undefined);
  }

  describe('who works in a folder', () => {
    it('is what the environment says', async () => {
      expect(await identityIn(box.path('repo'))).toEqual({ name: 'Test', email: 'test@example.com' });
    });

    it('is what the repository says', async () => {
      forget();
      box.git('repo', 'config', 'user.name', 'Mara <> Ökafor');
      box.git('repo', 'config', 'user.email', 'mara@example.com');
      expect(await identityIn(box.path('repo'))).toMatchObject({ email: 'mara@example.com' });
    });

    it.each(['repo', 'nowhere'])('is nobody where nothing says so: %s', async (folder) => {
      forget();
      expect(await identityIn(box.path(folder))).toEqual({});
    });
  });
});
