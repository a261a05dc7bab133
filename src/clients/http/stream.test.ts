import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { inTurn, json, plain, type Reply, startLocalHttp } from '../../../test/support/local-http.ts';
import { type HttpClient, httpClient } from './index.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function serverOf(reply: Reply) {
  const server = await startLocalHttp(reply);
  open.push(server);
  return server;
}
const client = (timeoutMs = 5_000): HttpClient => httpClient({ concurrency: 1, timeoutMs });
const endless: Reply = (response) => {
  response.writeHead(200).flushHeaders();
  response.write('one\n');
};

describe('a stream', () => {
  it('is read as it comes, beside other requests, until it is given up', async () => {
    const { url } = await serverOf((response, request) =>
      request.path === '/stream' ? endless(response, request) : plain(200, 'other')(response, request),
    );
    const http = client();
    const over = new AbortController();
    const stream = await http.stream({ url: `${url}/stream`, signal: over.signal });
    const parts = 'parts' in stream ? stream.parts[Symbol.asyncIterator]() : undefined;
    expect(String((await parts?.next())?.value)).toBe('one\n');
    expect((await http.text({ url: `${url}/other` })).text).toBe('other');
    const next = parts?.next();
    over.abort(new Error('enough'));
    await expect(next).rejects.toThrow('abort');
  });

  it('is refused with what the server says, and is not retried', async () => {
    const server = await serverOf(json(503, { message: 'no' }));
    expect(await client().stream({ url: server.url })).toEqual({ status: 503, text: '{"message":"no"}' });
    expect(server.seen).toHaveLength(1);
  });

  it('is opened with a new token when the old one is refused', async () => {
    const server = await serverOf(inTurn(plain(401), plain(200, 'body')));
    const origin = new URL(server.url).origin;
    const headers = async (value = 'old') => ({ authorization: value });
    const token = { origin, headers: () => headers(), renewed: () => headers('new') };
    const stream = await client().stream({ url: server.url, token });
    expect('parts' in stream && (await text(stream.parts))).toBe('body');
    expect(server.seen.map((request) => request.headers.authorization)).toEqual(['old', 'new']);
  });

  it('fails when its head does not come in time', async () => {
    const server = await serverOf(() => undefined);
    await expect(client(20).stream({ url: server.url })).rejects.toMatchObject({ code: 'HTTP_UNREACHABLE' });
  });
});
