import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GitSandbox, gitSandbox } from '../../../test/support/git-sandbox.ts';
import { plain, startLocalHttp } from '../../../test/support/local-http.ts';
import { openRepository } from './index.ts';
import type { Repository } from './repository.ts';

let box: GitSandbox;
let clone: Repository;
let first: string;

beforeEach(async () => {
  box = gitSandbox();
  first = box.init('seed');
  box.git('', 'clone', '--quiet', '--bare', 'seed', 'origin.git');
  box.git('', 'clone', '--quiet', 'origin.git', 'clone');
  clone = await openRepository(box.path('clone'));
});
afterEach(() => box.dispose());

function branch(text: string, expected?: string): Promise<string> {
  const files = new Map([['data/a.yml', Buffer.from(text)]]);
  const rest = expected === undefined ? {} : { expected };
  return clone.commitFiles({ branch: 'promote', parent: 'main', files, message: text, ...rest });
}

function tipOfOrigin(): string {
  return box.git('origin.git', 'rev-parse', 'promote');
}

describe('the address of a remote', () => {
  it.each([
    { url: 'https://user:secret@example.com/a/b.git', is: 'https://example.com/a/b.git' },
    { url: 'https://token@example.com/a/b.git', is: 'https://example.com/a/b.git' },
    { url: 'git@example.com:a/b.git', is: 'git@example.com:a/b.git' },
    { url: 'ssh://git@example.com:22/a/b.git', is: 'ssh://git@example.com:22/a/b.git' },
  ])('has no login of http: $url', async ({ url, is }) => {
    box.git('clone', 'remote', 'set-url', 'origin', url);
    expect(await clone.remoteUrl('origin')).toBe(is);
  });

  it('is absent where there is none', async () => {
    expect(await clone.remoteUrl('upstream')).toBeUndefined();
    await expect(clone.remoteUrl('--all')).rejects.toMatchObject({ code: 'REMOTE_INVALID' });
  });
});

describe('a push', () => {
  it('makes a branch, and again changes nothing', async () => {
    const one = await branch('a: 2\n');
    await clone.push('origin', 'promote');
    await clone.push('origin', 'promote');
    expect(tipOfOrigin()).toBe(one);
    expect(box.git('origin.git', 'rev-parse', 'main')).toBe(first);
  });

  it('replaces a branch that is where it was expected', async () => {
    const one = await branch('a: 2\n');
    await clone.push('origin', 'promote');
    const two = await branch('a: 3\n', one);
    await clone.push('origin', 'promote', one);
    expect(tipOfOrigin()).toBe(two);
  });

  it.each([
    { given: 'that exists and should not', expected: undefined },
    { given: 'that somebody moved', expected: 'e'.repeat(40) },
  ])('does not replace a branch $given', async ({ expected }) => {
    box.git('origin.git', 'branch', 'promote', 'main');
    await branch('a: 2\n');
    await expect(clone.push('origin', 'promote', expected)).rejects.toMatchObject({ code: 'BRANCH_MOVED' });
    expect(tipOfOrigin()).toBe(first);
  });

  it('runs no hook of the clone, and tells what a hook of the remote said', async () => {
    box.write('clone', '.git/hooks/pre-push', `#!/bin/sh\ntouch '${box.path('proof')}'\nexit 1\n`, 0o755);
    box.write('origin.git', 'hooks/update', '#!/bin/sh\necho "branches are \x1b[31mprotected"\nexit 1\n', 0o755);
    await branch('a: 2\n');
    const failure = await clone.push('origin', 'promote').catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ message: expect.stringContaining('protected') });
    expect((failure as Error).message).toContain('hook declined');
    expect((failure as Error).message).not.toContain('\x1b');
    expect(existsSync(box.path('proof'))).toBe(false);
  });

  it.each([
    { remote: 'origin', name: 'nowhere', code: 'REF_UNKNOWN' },
    { remote: 'origin', name: '--delete', code: 'REF_UNKNOWN' },
    { remote: '--receive-pack=touch proof', name: 'main', code: 'REMOTE_INVALID' },
    { remote: 'nowhere', name: 'main', code: 'REMOTE_UNREACHABLE' },
  ])('of $name to $remote is refused', async ({ remote, name, code }) => {
    await expect(clone.push(remote, name)).rejects.toMatchObject({ code });
  });

  it.each([401, 403, 500])('that a server answers with %i tells no login', async (status) => {
    const server = await startLocalHttp(plain(status, 'no', { 'www-authenticate': 'Basic realm="x"' }));
    const { host } = new URL(server.url);
    box.git('clone', 'remote', 'set-url', 'origin', `http://robot:s3cr%2Ft-token@${host}/a.git`);
    await branch('a: 2\n');
    const failure = (await clone.push('origin', 'promote').catch((thrown: unknown) => thrown)) as Error;
    await server.close();
    expect(failure).toMatchObject({ name: 'EchelonError' });
    expect(JSON.stringify({ ...failure, message: failure.message, stack: failure.stack })).not.toMatch(/s3cr|robot/);
    expect(failure.message).toContain(host);
  });
});

describe('a fetch', () => {
  it('gets the newest commit of a branch or tag and leaves FETCH_HEAD alone', async () => {
    const second = box.commit('seed', 'second', { 'data/b.yml': 'b' });
    box.git('seed', 'tag', 'v2');
    box.git('seed', 'push', '--quiet', box.path('origin.git'), 'main', 'v2');
    expect(await clone.fetch('origin', 'main')).toBe(second);
    expect(await clone.fetch('origin', 'v2')).toBe(second);
    expect(await clone.isAncestor(first, second)).toBe(true);
    expect(existsSync(box.path('clone/.git/FETCH_HEAD'))).toBe(false);
    expect(box.git('clone', 'for-each-ref', 'refs/echelon')).toBe('');
    expect(await clone.head()).toEqual({ commit: first, branch: 'main' });
  });

  it.each(['mian', '--upload-pack=touch proof', 'main:main', '+main', '', 'ma*'])('of %j is refused', async (ref) => {
    await expect(clone.fetch('origin', ref)).rejects.toMatchObject({ code: 'REF_UNKNOWN' });
  });

  it('of a mistyped branch gets a hint', async () => {
    await expect(clone.fetch('origin', 'mian')).rejects.toMatchObject({ hint: expect.stringContaining('main') });
  });
});
