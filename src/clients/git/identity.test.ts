import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type GitSandbox, gitSandbox } from '../../../test/support/git-sandbox.ts';
import { identityIn } from './index.ts';

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
