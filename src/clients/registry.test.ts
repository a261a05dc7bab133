import { afterEach, describe, expect, it } from 'vitest';
import { inTurn, json, type LocalHttp, plain, type Reply, startLocalHttp } from '../../test/support/local-http.ts';
import { defined } from '../base/index.ts';
import { imageDigest } from './registry.ts';

const DIGEST = `sha256:${'1'.repeat(64)}`;
const found = plain(200, '', { 'docker-content-digest': DIGEST });

let server: LocalHttp;
afterEach(() => server.close());

async function ask(reply: Reply, waitSeconds?: number): Promise<string> {
  server = await startLocalHttp(reply);
  const signal = new AbortController().signal;
  const question = { image: `${server.url}/owner/name`, tag: 'abc1234', signal };
  return imageDigest({ env: {}, ...question, ...defined({ waitSeconds }) }, 1);
}

describe('the digest of an image', () => {
  it('is what the registry says', async () => {
    expect(await ask(found)).toBe(DIGEST);
    expect(server.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'HEAD /v2/owner/name/manifests/abc1234',
    ]);
  });

  it('is waited for', async () => {
    expect(await ask(inTurn(plain(404), plain(404), found), 60)).toBe(DIGEST);
    expect(server.seen).toHaveLength(3);
  });

  it('is waited for while the registry is busy', async () => {
    expect(await ask(inTurn(plain(503), plain(429), plain(404), found), 60)).toBe(DIGEST);
    expect(server.seen).toHaveLength(4);
  });

  it('is not waited for where it will not be told', async () => {
    await expect(ask(plain(403), 60)).rejects.toMatchObject({ code: 'REGISTRY_REFUSED' });
    expect(server.seen).toHaveLength(1);
  });

  it('is an error that says what to do when nobody answers', async () => {
    await ask(found);
    const { url } = server;
    await server.close();
    const signal = new AbortController().signal;
    const asked = imageDigest({ env: {}, image: `${url}/owner/name`, tag: 'abc1234', signal }, 1);
    await expect(asked).rejects.toMatchObject({
      code: 'REGISTRY_UNREACHABLE',
      message: expect.stringContaining(new URL(url).host),
      hint: expect.stringContaining('--digest'),
    });
  });

  it.each([
    { given: 'no such image', reply: plain(404), says: /has no image/ },
    { given: 'an error', reply: plain(500), says: /answered 500/ },
    { given: 'no digest', reply: plain(200), says: /returned no digest/ },
    {
      given: 'a challenge that is none',
      reply: plain(401, '', { 'www-authenticate': 'Basic realm="x"' }),
      says: /issues no token/,
    },
    { given: 'a token service without tokens', reply: withoutToken, says: /issues no token/ },
  ])('is an error with $given', async ({ reply, says }) => {
    await expect(ask(reply)).rejects.toThrow(says);
  });
});

function withoutToken(...[response, request]: Parameters<Reply>): ReturnType<Reply> {
  if (request.path === '/token') return json(200, {})(response, request);
  const realm = `http://${request.headers.host}/token`;
  return plain(401, '', { 'www-authenticate': `Bearer realm="${realm}"` })(response, request);
}
