import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { digestOf } from './access.ts';
import { type PageServer, servePages } from './server.ts';

const listeners = new Set<(current: string) => void>();
const FEED = {
  path: '/events',
  current: () => 'first',
  subscribe: (listener: (current: string) => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

let server: PageServer;
afterEach(() => server.close());

async function serve(access: object = {}): Promise<void> {
  server = await servePages({
    listen: { host: '127.0.0.1', port: 0 },
    access: { hostNames: [], ...access },
    respond: () => ({ status: 404, type: 'text/plain', body: 'nothing' }),
    headers: { always: { 'x-frame-options': 'DENY' }, secure: {} },
    feed: FEED,
    onFault: (thrown) => {
      throw thrown;
    },
  });
}

async function open(headers: Readonly<Record<string, string>> = {}, path = 'events'): Promise<IncomingMessage> {
  const [response] = (await once(get(`${server.url}${path}`, { headers, agent: false }), 'response')) as [
    IncomingMessage,
  ];
  return response.setEncoding('utf8');
}

const said = async (response: IncomingMessage): Promise<string> => String((await once(response, 'data'))[0]);

describe('the feed of an open page', () => {
  it('says at once what is current, then what is new, and is called off when the reader leaves', async () => {
    await serve();
    const response = await open();
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'x-frame-options': 'DENY',
    });
    expect(await said(response)).toBe('data: first\n\n');
    const next = said(response);
    for (const listener of listeners) listener('second');
    expect(await next).toBe('data: second\n\n');
    const left = new Promise<void>((resolve) => {
      const check = (): void => (listeners.size === 0 ? resolve() : void setImmediate(check));
      check();
    });
    response.destroy();
    await left;
  });

  it.each([
    { given: 'without the token', headers: {}, status: 401 },
    { given: 'under the name of another host', headers: { host: 'evil.example' }, status: 421 },
  ])('is refused $given', async ({ headers, status }) => {
    await serve({ tokenDigest: () => digestOf('a-token-that-nobody-may-guess') });
    const response = await open(headers);
    response.resume();
    expect(response.statusCode).toBe(status);
    expect(listeners.size).toBe(0);
  });

  it('has a limit of readers, who keep nobody from a page', async () => {
    await serve();
    const readers = await Promise.all(Array.from({ length: 100 }, () => open()));
    expect(readers.every(({ statusCode }) => statusCode === 200)).toBe(true);
    const more = await open();
    more.resume();
    expect(more.statusCode).toBe(503);
    const page = await open({}, 'page');
    page.resume();
    expect(page.statusCode).toBe(404);
  });
});
