import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveRefByForge } from './index.ts';
import { forgeToken } from './transport.ts';

type Env = Readonly<Record<string, string>>;

const SHA = 'a4e1c580ec5fe9e4a6a478c3dd2b5d961ac8a236';

let server: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let requests: IncomingMessage[];
let origin: string;

beforeEach(async () => {
  requests = [];
  server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
});

const says =
  (body: string, status = 200) =>
  (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status).end(body);
  };

const clock = { now: () => new Date(), sleep: async () => {} };

/** Asks a forge that the local server plays. */
function resolve(repository: string, ref: string, env: Env = {}): Promise<string> {
  const forges = { GITHUB_API: origin, GITLAB_API: `${origin}/api/v4` };
  return resolveRefByForge(repository, ref, { env: { ...forges, ...env }, clock });
}

const GITHUB = 'https://github.com/example/fleet-tools';
const GITLAB = 'https://gitlab.example.com/group/sub/tools';

describe('GitHub is asked', () => {
  it.each([
    { given: 'a branch', repository: GITHUB, ref: 'main', path: '/repos/example/fleet-tools/commits/main' },
    {
      given: 'a branch with a slash',
      repository: GITHUB,
      ref: 'a/b',
      path: '/repos/example/fleet-tools/commits/a%2Fb',
    },
    {
      given: 'a ref that looks like a query',
      repository: GITHUB,
      ref: '../x?y#z',
      path: '/repos/example/fleet-tools/commits/..%2Fx%3Fy%23z',
    },
    {
      given: 'an address with .git',
      repository: `${GITHUB}.git`,
      ref: 'v1',
      path: '/repos/example/fleet-tools/commits/v1',
    },
    {
      given: 'an address with a slash',
      repository: `${GITHUB}/`,
      ref: 'v1',
      path: '/repos/example/fleet-tools/commits/v1',
    },
    {
      given: 'an address with .git and a slash',
      repository: `${GITHUB}.git/`,
      ref: 'v1',
      path: '/repos/example/fleet-tools/commits/v1',
    },
  ])('for $given', async ({ repository, ref, path }) => {
    answer = says(SHA);
    expect(await resolve(repository, ref)).toBe(SHA);
    expect(requests.map(({ url, headers }) => [url, headers.accept, headers.authorization])).toEqual([
      [path, 'application/vnd.github.sha', undefined],
    ]);
  });

  it.each([
    { given: 'a token', env: { GITHUB_TOKEN: 't' }, authorization: 'Bearer t' },
    { given: 'an empty token', env: { GITHUB_TOKEN: '' }, authorization: undefined },
    { given: 'the token of GitLab', env: { GITLAB_TOKEN: 't' }, authorization: undefined },
  ])('with $given: $authorization', async ({ env, authorization }) => {
    answer = says(SHA);
    await resolve(GITHUB, 'main', env);
    expect(requests.map(({ headers }) => [headers.authorization, headers['private-token']])).toEqual([
      [authorization, undefined],
    ]);
  });

  it('at an address with a path and slashes at the end', async () => {
    answer = says(`${SHA}\n`);
    expect(await resolve(GITHUB, 'main', { GITHUB_API: `${origin}/api/v3//` })).toBe(SHA);
    expect(requests.map(({ url }) => url)).toEqual(['/api/v3/repos/example/fleet-tools/commits/main']);
  });
});

describe('a GitHub of your own is asked', () => {
  it('where GITHUB_API says', async () => {
    answer = says(SHA);
    expect(await resolve('https://git.example.com/a/b', 'main')).toBe(SHA);
    expect(requests.map(({ url }) => url)).toEqual(['/repos/a/b/commits/main']);
  });
});

describe('GitLab is asked', () => {
  it.each([
    { given: 'no token', env: {}, token: undefined },
    {
      given: 'a token for that host',
      env: { GITLAB_TOKEN: 't', GITHUB_TOKEN: 'no', GITLAB_HOST: '127.0.0.1' },
      token: 't',
    },
    { given: 'a token, and the API of that host', env: { GITLAB_TOKEN: 't' }, token: 't' },
    { given: 'a token for another host', env: { GITLAB_TOKEN: 't', GITLAB_HOST: 'gitlab.com' }, token: undefined },
  ])('with $given', async ({ env, token }) => {
    answer = says(JSON.stringify({ id: SHA, short_id: SHA.slice(0, 8) }));
    expect(await resolve(GITLAB, 'feature/x', env as Env)).toBe(SHA);
    expect(requests.map(({ url, headers }) => [url, headers['private-token'], headers.authorization])).toEqual([
      ['/api/v4/projects/group%2Fsub%2Ftools/repository/commits/feature%2Fx', token, undefined],
    ]);
  });

  it('where GITLAB_API says, whatever the host is called', async () => {
    answer = says(JSON.stringify({ id: SHA }));
    expect(await resolve('https://git.example.com/a/b', 'main', { GITHUB_API: '' })).toBe(SHA);
    expect(requests.map(({ url }) => url)).toEqual(['/api/v4/projects/a%2Fb/repository/commits/main']);
  });
});

describe('the token of GitLab', () => {
  const tokenFor = (repository: string, env: Env) =>
    forgeToken({ kind: 'gitlab', api: `${new URL(repository).origin}/api/v4`, env, namedBy: 'data' });

  it.each([
    { repository: 'https://gitlab.com/g/p', env: {}, token: 't' },
    { repository: 'https://gitlab.example.com/g/p', env: {}, token: undefined },
    { repository: 'https://gitlab.evil.example/g/p', env: {}, token: undefined },
    { repository: 'http://gitlab.evil.example/g/p', env: {}, token: undefined },
    { repository: 'https://gitlab.com.evil.example/g/p', env: {}, token: undefined },
    { repository: 'https://gitlab.example.com/g/p', env: { GITLAB_HOST: 'gitlab.example.com' }, token: 't' },
    {
      repository: 'https://gitlab.example.com/g/p',
      env: { GITLAB_API: 'https://gitlab.example.com/api/v4' },
      token: 't',
    },
    { repository: 'https://gitlab.com/g/p', env: { GITLAB_HOST: 'gitlab.example.com' }, token: undefined },
  ])('goes to $repository with $env: $token', async ({ repository, env, token }) => {
    const { token: sent } = tokenFor(repository, { GITLAB_TOKEN: 't', ...(env as Env) });
    expect(sent?.origin).toBe(token && new URL(repository).origin);
    expect((await sent?.headers())?.['private-token']).toBe(token);
  });

  it.each(['http://gitlab.com/g/p', 'http://gitlab.example.com/g/p'])('is not sent in clear text: %s', (url) => {
    const env = { GITLAB_TOKEN: 't', ...(url.includes('example') ? { GITLAB_HOST: 'gitlab.example.com' } : {}) };
    expect(() => tokenFor(url, env as Env)).toThrow(expect.objectContaining({ code: 'FORGE_INSECURE' }));
  });

  it('does not go to another host by a redirect', async () => {
    const elsewhere = createServer((request) => requests.push(request));
    await new Promise<void>((done) => elsewhere.listen(0, '127.0.0.1', done));
    const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
    answer = (_, response) => response.writeHead(302, { location }).end();
    await expect(resolve(GITLAB, 'main', { GITLAB_TOKEN: 't' })).rejects.toMatchObject({ code: 'FORGE_REFUSED' });
    expect(requests.map(({ headers }) => [headers.host, headers['private-token']])).toEqual([
      [new URL(origin).host, 't'],
    ]);
    await new Promise((done) => elsewhere.close(done));
  });

  it('that was kept back is said how to send', async () => {
    answer = says('{}', 404);
    await expect(resolve(GITLAB, 'main', { GITLAB_TOKEN: 't', GITLAB_HOST: 'gitlab.com' })).rejects.toMatchObject({
      code: 'REF_UNKNOWN',
      hint: expect.stringContaining('GITLAB_HOST=127.0.0.1'),
    });
  });
});

describe('no commit', () => {
  it.each([
    { status: 404, code: 'REF_UNKNOWN', message: `${GITHUB} has no ref main` },
    { status: 422, code: 'REF_UNKNOWN', message: `${GITHUB} has no ref main` },
    { status: 401, code: 'FORGE_REFUSED', message: `the forge of ${GITHUB} returned 401` },
    { status: 403, code: 'FORGE_REFUSED', message: `the forge of ${GITHUB} returned 403` },
    { status: 500, code: 'FORGE_REFUSED', message: `the forge of ${GITHUB} returned 500` },
  ])('with status $status: $code', async ({ status, code, message }) => {
    answer = says('no', status);
    await expect(resolve(GITHUB, 'main', { GITHUB_TOKEN: 'tea-leaf' })).rejects.toMatchObject({
      code,
      message,
      hint: expect.stringContaining('GITHUB_TOKEN'),
    });
  });

  it.each([
    { given: 'a page of a proxy', repository: GITHUB, body: '<html>' },
    { given: 'nothing', repository: GITHUB, body: '' },
    { given: 'a short commit', repository: GITHUB, body: 'a4e1c58' },
    { given: 'a page of a proxy for GitLab', repository: GITLAB, body: '<html>' },
    { given: 'something else of GitLab', repository: GITLAB, body: '{"id": 7}' },
    { given: 'a list of GitLab', repository: GITLAB, body: 'null' },
  ])('in $given', async ({ repository, body }) => {
    answer = says(body);
    await expect(resolve(repository, 'main')).rejects.toMatchObject({
      code: 'FORGE_ANSWER',
      message: expect.stringContaining(`returned no commit for main of ${repository}`),
    });
  });

  it('from a forge that is not there', async () => {
    await expect(resolve(GITHUB, 'main', { GITHUB_API: 'http://127.0.0.1:9' })).rejects.toMatchObject({
      code: 'FORGE_UNREACHABLE',
      message: expect.stringContaining('127.0.0.1:9 did not respond for https://github.com/example/fleet-tools: '),
      hint: 'check the network, or pass a clone of the repository with --upstream-clone',
    });
  });

  it('from a forge that hangs up', async () => {
    answer = (request) => request.socket.destroy();
    await expect(resolve(GITHUB, 'main')).rejects.toMatchObject({ code: 'FORGE_UNREACHABLE' });
  });

  it('from a forge that hangs up in the middle', async () => {
    answer = (request, response) => {
      response.writeHead(200, { 'content-length': '40' });
      response.write('a4e1');
      request.socket.destroySoon();
    };
    await expect(resolve(GITHUB, 'main')).rejects.toMatchObject({ code: 'FORGE_UNREACHABLE' });
  });

  it('of an upstream that is no address', async () => {
    await expect(resolve('example/fleet-tools', 'main')).rejects.toMatchObject({
      code: 'UPSTREAM_INVALID',
      message: 'the upstream example/fleet-tools is not a URL',
    });
    expect(requests).toEqual([]);
  });

  it('of a forge of another kind: GitHub may have another repository of that name', async () => {
    await expect(
      resolve('https://git.example.com/a/b', 'main', { GITHUB_API: '', GITLAB_API: '' }),
    ).rejects.toMatchObject({
      code: 'UPSTREAM_INVALID',
      message: 'git.example.com of the upstream https://git.example.com/a/b is neither github.com nor a GitLab',
    });
    expect(requests).toEqual([]);
  });

  it('of a path that is no repository of GitHub', async () => {
    await expect(resolve('https://github.com/a/b/c', 'main')).rejects.toMatchObject({
      code: 'UPSTREAM_INVALID',
      message: 'the upstream https://github.com/a/b/c is not owner/name',
    });
  });
});
