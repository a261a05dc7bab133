import { describe, expect, it } from 'vitest';
import { startForgeServer } from '../../../test/support/forge-server.ts';
import { isForgeConfigured, openForge } from './index.ts';

function open(url: string, env: Record<string, string> = {}) {
  return openForge(url, { env, readOnly: true, namedBy: 'operator' });
}

describe('a repository is on a forge', () => {
  it.each([
    {
      url: 'https://github.com/app-sre/qontract-reconcile',
      compare: 'https://github.com/app-sre/qontract-reconcile/compare/',
    },
    { url: 'https://github.com/a/b.git/', compare: 'https://github.com/a/b/compare/' },
    { url: 'git@github.com:a/b.c.git', compare: 'https://github.com/a/b.c/compare/' },
    { url: 'ssh://git@ssh.github.com:443/a/b.git', compare: 'https://github.com/a/b/compare/' },
    { url: 'https://user:secret@github.com/a/b', compare: 'https://github.com/a/b/compare/' },
    { url: 'https://gitlab.com/g/p', compare: 'https://gitlab.com/g/p/-/compare/' },
    {
      url: 'https://gitlab.example.com:8443/g/s/t/p.git',
      compare: 'https://gitlab.example.com:8443/g/s/t/p/-/compare/',
    },
    { url: 'git@gitlab.example.com:g/s/p.git', compare: 'https://gitlab.example.com/g/s/p/-/compare/' },
    { url: 'ssh://git@gitlab.example.com:2222/g/p.git', compare: 'https://gitlab.example.com/g/p/-/compare/' },
    { url: 'https://gitlab.example.com/g/p/-/tree/main', compare: 'https://gitlab.example.com/g/p/-/compare/' },
  ])('$url', async ({ url, compare }) => {
    const forge = await open(url);
    expect(forge.kind).toBe(compare.includes('/-/') ? 'gitlab' : 'github');
    expect(forge.compareUrl('1234567', 'feature/ü#1')).toBe(`${compare}1234567...feature/%C3%BC%231`);
  });

  it.each([
    { env: { GITHUB_API: 'https://git.example.com/api/v3' }, kind: 'github' },
    { env: { GITLAB_API: 'https://git.example.com/api/v4/' }, kind: 'gitlab' },
  ])('that the environment names: $kind', async ({ env, kind }) => {
    expect((await open('https://git.example.com/g/p', env as Record<string, string>)).kind).toBe(kind);
  });

  it('that the caller names', async () => {
    const forge = await openForge('https://git.example.com/g/p', {
      ...{ env: {}, readOnly: true, namedBy: 'operator', kind: 'gitlab' },
    });
    expect(forge.compareUrl('a', 'b')).toBe('https://git.example.com/g/p/-/compare/a...b');
  });
});

describe('a repository is on no forge', () => {
  it.each([
    'https://git.example.com/g/p',
    '/srv/git/instance.git',
    'file:///srv/git/x.git',
    'C:\\repos\\x',
    'https://github.com/only-one',
    'https://github.com/a/b/c',
    'https://gitlab.com/../../x',
    'git@github.com',
    '',
    'ext::sh -c id',
  ])('%j', async (url) => {
    await expect(open(url)).rejects.toMatchObject({ code: 'FORGE_UNKNOWN' });
  });

  it('and its login is not told', async () => {
    const failure = await open('https://user:s3cret@git.example.com/only').catch((thrown: unknown) => thrown);
    expect(String((failure as Error).message)).not.toContain('s3cret');
  });
});

describe('the token', () => {
  it('is not sent in clear text', async () => {
    await expect(open('http://gitlab.example.com/g/p', { GITLAB_TOKEN: 'abcdef' })).rejects.toMatchObject({
      code: 'FORGE_INSECURE',
    });
  });

  it.each([
    { host: '127.0.0.1', sent: true },
    { host: 'gitlab.example.com', sent: false },
    { host: 'https://127.0.0.1', sent: true },
  ])('goes to GITLAB_HOST only: $host', async ({ host, sent }) => {
    const server = await startForgeServer({ branches: { main: 'a'.repeat(40) } });
    const env = { GITLAB_API: server.gitlabApi, GITLAB_TOKEN: server.token, GITLAB_HOST: host };
    const forge = await open('https://gitlab.example.com/group/project', env);
    await forge.newestCommit('main').catch(() => undefined);
    expect(server.seen.map(({ headers }) => headers['private-token'])).toEqual([sent ? server.token : undefined]);
    await server.close();
  });

  it('of one forge is not sent to the other', async () => {
    const server = await startForgeServer();
    const forge = await open('https://github.com/group/project', {
      GITHUB_API: server.githubApi,
      GITLAB_TOKEN: 'of-gitlab-123',
    });
    await forge.newestCommit('main').catch(() => undefined);
    expect(JSON.stringify(server.seen)).not.toContain('of-gitlab-123');
    await server.close();
  });
});

describe('a GitLab below a path of its host', () => {
  it('has that path in addresses and not in names', async () => {
    const server = await startForgeServer({ branches: { main: 'a'.repeat(40) } });
    const forge = await openForge('https://gitlab.example.com/git/group/project', {
      env: {},
      readOnly: true,
      namedBy: 'operator',
      api: 'https://gitlab.example.com/git/api/v4',
    });
    expect(forge.compareUrl('a', 'b')).toBe('https://gitlab.example.com/git/group/project/-/compare/a...b');
    await server.close();
  });
});

it.each([
  { url: 'https://github.com/a/b', env: { GITHUB_TOKEN: 'x' }, configured: true },
  { url: 'https://github.com/a/b', env: { GITHUB_TOKEN: ' ' }, configured: false },
  { url: 'https://github.com/a/b', env: { GITLAB_TOKEN: 'x' }, configured: false },
  { url: 'https://gitlab.example/a/b', env: { GITLAB_HOST: 'gitlab.example' }, configured: true },
  { url: 'https://git.example/a/b', env: { GITLAB_API: 'https://git.example/api/v4' }, configured: true },
  { url: 'https://git.example/a/b', env: { GITHUB_TOKEN: 'x' }, configured: false },
  { url: '', env: { GITHUB_API: 'https://git.example/api' }, configured: false },
])('the forge of $url with $env is configured: $configured', ({ url, env, configured }) => {
  expect(isForgeConfigured(url, env as Record<string, string>)).toBe(configured);
});
