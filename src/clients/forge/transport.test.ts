import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ForgeServer, startForgeServer } from '../../../test/support/forge-server.ts';
import { hangUp, json, neverAnswer, plain, type Reply, startLocalHttp } from '../../../test/support/local-http.ts';
import { defined } from '../../base/index.ts';
import type { Forge } from './forge.ts';
import { openForge } from './index.ts';

const KINDS = ['github', 'gitlab'] as const;
type Kind = (typeof KINDS)[number];

let server: ForgeServer;
let pauses: number[];

beforeEach(async () => {
  pauses = [];
  server = await startForgeServer({ branches: { main: 'a'.repeat(40) } });
});
afterEach(() => server.close());

function open(kind: Kind, more: { timeoutMs?: number; token?: string; api?: string } = {}): Promise<Forge> {
  const token = more.token ?? server.token;
  return openForge(`https://${kind}.example.com/group/project`, {
    env: { GITHUB_TOKEN: token, GITLAB_TOKEN: token },
    readOnly: false,
    namedBy: 'operator',
    kind,
    api: more.api ?? (kind === 'github' ? server.githubApi : server.gitlabApi),
    clock: { now: () => new Date(0), sleep: async (ms) => void pauses.push(ms) },
    random: () => 0,
    ...defined({ timeoutMs: more.timeoutMs }),
  });
}

async function failure(act: Promise<unknown>): Promise<Error & { code: string; hint: string }> {
  const thrown = await act.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(thrown).toBeInstanceOf(Error);
  return thrown as Error & { code: string; hint: string };
}

describe.each(KINDS)('reading from %s', (kind) => {
  it.each<{ given: string; reply: Reply; pause: number }>([
    { given: 'too many requests', reply: plain(429, '', { 'retry-after': '7' }), pause: 7000 },
    { given: 'a server error', reply: plain(502, '<html>bad gateway</html>'), pause: 0 },
    { given: 'a lost connection', reply: hangUp, pause: 0 },
  ])('is tried again after $given', async ({ reply, pause }) => {
    server.fault({ times: 2, reply });
    expect(await (await open(kind)).newestCommit('main')).toBe('a'.repeat(40));
    expect(pauses).toEqual([pause, pause]);
  });

  it.each<{ given: string; reply: Reply; code: string; timeoutMs?: number }>([
    { given: '401', reply: json(401, { message: 'Bad credentials' }), code: 'FORGE_UNAUTHORIZED' },
    { given: '403', reply: json(403, { message: 'no' }), code: 'FORGE_FORBIDDEN' },
    {
      given: '403 of a used-up allowance',
      reply: json(
        403,
        { message: 'API rate limit exceeded' },
        { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1800000000' },
      ),
      code: 'FORGE_RATE_LIMITED',
    },
    { given: '404', reply: json(404, { message: '404 Not Found' }), code: 'FORGE_NOT_FOUND' },
    { given: '422', reply: json(422, { message: 'Validation Failed', errors: ['x'] }), code: 'FORGE_REFUSED' },
    { given: '429', reply: json(429, { message: 'slow down' }), code: 'FORGE_RATE_LIMITED' },
    { given: '500', reply: json(500, { message: 'oops' }), code: 'FORGE_UNAVAILABLE' },
    { given: 'a page', reply: plain(200, '<html>log in</html>'), code: 'FORGE_ANSWER' },
    { given: 'other fields', reply: json(200, { commit: { name: 'x' } }), code: 'FORGE_ANSWER' },
    { given: 'a huge body', reply: plain(200, `"${'x'.repeat(33 * 1024 * 1024)}"`), code: 'FORGE_ANSWER' },
    { given: 'nothing in time', reply: neverAnswer, code: 'FORGE_UNREACHABLE', timeoutMs: 100 },
  ])('tells of $given with the endpoint and what to do', async ({ reply, code, timeoutMs = 30_000 }) => {
    server.fault({ times: 9, reply });
    const thrown = await failure((await open(kind, { timeoutMs })).newestCommit('main'));
    expect(thrown.code).toBe(code);
    expect(thrown.message).toMatch(/branch/);
    expect(thrown.hint).not.toBe('');
  });

  it('does not quote the token when the server does', async () => {
    const token = 'wrong-token-987654';
    const thrown = await failure((await open(kind, { token })).newestCommit('main'));
    expect(thrown).toMatchObject({ code: 'FORGE_UNAUTHORIZED', message: expect.stringContaining('Bad credentials') });
    expect(`${thrown.message}${thrown.hint}${thrown.stack}${JSON.stringify(thrown)}`).not.toContain(token);
    expect(thrown.cause).toBeUndefined();
  });

  it('follows a new address of the same API, and takes the token to no other', async () => {
    const moved = /\/branches\/main$/;
    server.fault({ path: moved, reply: (response, { path }) => redirect(response, path.replace('main', 'trunk')) });
    server.state.branches.set('trunk', 'b'.repeat(40));
    const forge = await open(kind);
    expect(await forge.newestCommit('main')).toBe('b'.repeat(40));
    const other = await startLocalHttp(json(200, {}));
    server.fault({ path: moved, reply: (response, { path }) => redirect(response, `${other.url}${path}`) });
    expect((await failure(forge.newestCommit('main'))).code).toBe('FORGE_MOVED');
    expect(other.seen).toEqual([]);
    await other.close();
  });

  it('ends a redirection in a circle', async () => {
    server.fault({ times: 99, reply: (response, { path }) => redirect(response, path) });
    expect((await failure((await open(kind)).newestCommit('main'))).code).toBe('FORGE_MOVED');
    expect(server.seen).toHaveLength(4);
  });

  it('names a token that cannot be one without quoting it', async () => {
    const thrown = await failure((await open(kind, { token: 'two\nlines-of-token' })).newestCommit('main'));
    expect(`${thrown.message}${thrown.stack}`).not.toContain('lines-of-token');
  });
});

describe.each(KINDS)('writing to %s', (kind) => {
  it.each<{ given: string; reply: Reply }>([
    { given: 'too many requests', reply: plain(429, '', { 'retry-after': '7' }) },
    { given: 'a server error', reply: plain(500) },
  ])('is not tried again after $given', async ({ reply }) => {
    server.fault({ method: 'POST', times: 9, reply });
    const request = { title: 'x', description: 'x', sourceBranch: 'main', targetBranch: 'main', labels: [] };
    await failure((await open(kind)).createMergeRequest(request));
    expect(server.writes()).toHaveLength(1);
  });
});

function redirect(response: Parameters<Reply>[0], location: string): void {
  response.writeHead(301, { location }).end();
}
