import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defined } from '../../src/base/index.ts';
import { type Fault, type FaultProxy, type ProxiedServer, startFaultProxy, WRITES } from './fault-proxy.ts';

/** A server with the namespace `default`, and a token that may do everything. */
export interface ContractedServer extends ProxiedServer {
  readonly token: string;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: { readonly items?: unknown[]; readonly message?: string; readonly metadata?: { name?: string } };
}

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const EVERY = { times: Number.POSITIVE_INFINITY };

/** What a test may rely on, in front of a simulated and a real API server. */
export function faultProxyContract(name: string, open: () => Promise<ContractedServer>): void {
  describe(`a proxy in front of ${name}`, () => {
    let server: ContractedServer;
    let proxy: FaultProxy;
    let made = 0;
    beforeAll(async () => {
      server = await open();
    });
    afterAll(() => server?.close());
    beforeEach(async () => {
      proxy = await startFaultProxy(server);
      made += 1;
    });
    afterEach(() => proxy.close());

    function send(method: string, path: string, body?: object, signal?: AbortSignal, at = proxy.server) {
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      const outgoing = (at.startsWith('https') ? httpsRequest : httpRequest)(
        new URL(path, at),
        {
          ...{ method, agent: false, ...defined({ ca: server.ca, signal }) },
          headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
        },
        (answer) => {
          const { statusCode: status = 0, headers } = answer;
          text(answer).then((said) => resolve({ status, headers, body: JSON.parse(said) }), reject);
        },
      );
      outgoing.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
      return promise;
    }
    const nameOf = (part = 'a'): string => `map-${made}-${part}`;
    const create = (part?: string, signal?: AbortSignal) =>
      send('POST', CONFIG_MAPS, { metadata: { name: nameOf(part) } }, signal);
    const exists = async (part?: string): Promise<boolean> =>
      (await send('GET', `${CONFIG_MAPS}/${nameOf(part)}`, undefined, undefined, server.server)).status === 200;
    const outcome = (sent: Promise<Answer>): Promise<number | string> =>
      sent.then(
        ({ status }) => status,
        (error: NodeJS.ErrnoException) => error.code ?? error.message,
      );

    it('passes on credentials, requests and answers, and records them', async () => {
      expect((await create()).body.metadata?.name).toBe(nameOf());
      expect(await exists()).toBe(true);
      const [recorded] = proxy.requests;
      expect(recorded).toMatchObject({ method: 'POST', path: CONFIG_MAPS, status: 201 });
      expect(JSON.parse(recorded!.body)).toEqual({ metadata: { name: nameOf() } });
    });

    it.each<[string, Fault, number | string, boolean]>([
      ['resets a request', 'reset', 'ECONNRESET', false],
      ['loses the response to a request', 'lost response', 'ECONNRESET', true],
      ['fails a request', { status: 503, headers: { 'retry-after': '7' } }, 503, false],
    ])('%s, and only the one that is chosen', async (_, fault, seen, carriedOut) => {
      const { struck } = proxy.add({ method: WRITES, path: /configmaps$/, nth: 2 }, fault);
      expect(await outcome(send('GET', CONFIG_MAPS))).toBe(200);
      expect(await outcome(create('first'))).toBe(201);
      expect(await outcome(create())).toBe(seen);
      expect(await outcome(create('third'))).toBe(201);
      expect(await exists()).toBe(carriedOut);
      expect(struck.map(({ status }) => status)).toEqual([carriedOut ? 201 : undefined]);
    });

    it('fails with the headers and the message that it is given', async () => {
      proxy.add({}, { status: 429, headers: { 'retry-after': '7' }, message: 'slow down' });
      const { headers, body } = await create();
      expect([headers['retry-after'], body.message]).toEqual(['7', 'slow down']);
    });

    it('disturbs as long as the fault is there, as a function says', async () => {
      const fault = proxy.add(EVERY, ({ method }) => (method === 'POST' ? 'reset' : undefined));
      expect(await outcome(create())).toBe('ECONNRESET');
      expect(await outcome(create())).toBe('ECONNRESET');
      expect(await outcome(send('GET', CONFIG_MAPS))).toBe(200);
      fault.remove();
      expect(await outcome(create())).toBe(201);
    });

    it('holds a request until it is released, before the server sees it', async () => {
      const hold = proxy.hold({ method: 'POST' });
      const sent = outcome(create());
      await hold.arrived();
      expect(await exists()).toBe(false);
      await hold.release();
      expect(await exists()).toBe(true);
      expect(await sent).toBe(201);
      expect(await outcome(create('next'))).toBe(201);
    });

    it('delivers a request that is released late, though its client has given up', async () => {
      const hold = proxy.hold({ method: 'POST' });
      const client = new AbortController();
      const sent = outcome(create('a', client.signal));
      await hold.arrived();
      client.abort();
      expect(await sent).toBe('ABORT_ERR');
      await hold.release();
      expect(hold.held.map(({ status }) => status)).toEqual([201]);
      expect(await exists()).toBe(true);
    });

    it('holds an answer when the server has carried the request out', async () => {
      const hold = proxy.hold({ method: 'POST', ...EVERY }, 'the way back');
      const sent = [outcome(create('a')), outcome(create('b'))];
      await hold.arrived(2);
      expect([await exists('a'), await exists('b')]).toEqual([true, true]);
      hold.reset();
      expect(await Promise.all(sent)).toEqual(['ECONNRESET', 'ECONNRESET']);
    });

    it('drops a request that it held', async () => {
      const hold = proxy.hold({ method: 'POST' });
      const sent = outcome(create());
      await hold.arrived();
      hold.reset();
      expect(await sent).toBe('ECONNRESET');
      expect(await exists()).toBe(false);
    });

    it('partitions its own client and no other', async () => {
      const other = await startFaultProxy(server);
      const partition = proxy.partition('reset');
      expect(await outcome(create('a'))).toBe('ECONNRESET');
      expect(await outcome(send('GET', CONFIG_MAPS, undefined, undefined, other.server))).toBe(200);
      partition.heal();
      expect(await outcome(create('a'))).toBe(201);
      await other.close();
    });

    it('leaves a client without any answer in a silent partition; what it sent is lost', async () => {
      const hold = proxy.hold({ method: 'POST' }, 'the way back');
      const before = outcome(create('before'));
      await hold.arrived();
      const partition = proxy.partition('silent');
      await hold.release();
      const during = outcome(create('during'));
      while (proxy.requests.length < 2) await new Promise(setImmediate);
      partition.heal();
      expect(await Promise.all([before, during])).toEqual(['ECONNRESET', 'ECONNRESET']);
      expect([await exists('before'), await exists('during')]).toEqual([true, false]);
      expect(await outcome(create('after'))).toBe(201);
    });

    it('passes on a watch as it comes, and cuts it in a partition', async () => {
      const seen: string[] = [];
      const { promise: first, resolve } = Promise.withResolvers<void>();
      const { promise: ended, resolve: end } = Promise.withResolvers<string>();
      const url = new URL(`${CONFIG_MAPS}?watch=true&fieldSelector=metadata.name%3D${nameOf()}`, proxy.server);
      const get = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const headers = { authorization: `Bearer ${server.token}` };
      get(url, { headers, ...defined({ ca: server.ca }) }, (answer) => {
        answer.on('data', (chunk) => {
          seen.push(String(chunk));
          resolve();
        });
        answer.on('error', ({ message }) => end(message));
      }).end();
      while (proxy.requests.length < 1) await new Promise(setImmediate);
      await proxy.requests[0]!.answered;
      await create();
      await first;
      expect(seen.join('')).toContain('"ADDED"');
      proxy.partition('reset');
      expect(await ended).toBe('aborted');
    });
  });
}
