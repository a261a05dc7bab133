import { afterEach, describe, expect, it } from 'vitest';
import {
  hangUp,
  inTurn,
  json,
  type LocalHttp,
  neverAnswer,
  type Reply,
  startLocalHttp,
} from '../../../test/support/local-http.ts';
import { HttpFailure, httpClient, type WritePermit } from './index.ts';
import type { HttpClientOptions, HttpRequest } from './request.ts';

let server: LocalHttp | undefined;
afterEach(() => server?.close());

interface Permit extends WritePermit {
  /** How often it was asked. */
  readonly asked: number;
  end(): void;
}

/** As that of a lease: once it has ended, it is for good. */
function permit(): Permit {
  const over = new AbortController();
  const state = { asked: 0 };
  return {
    get asked() {
      return state.asked;
    },
    signal: over.signal,
    mayWrite: () => {
      state.asked += 1;
      return !over.signal.aborted;
    },
    end: () => over.abort(new Error('the lease was not renewed in time')),
  };
}

const REPEATED = { attempts: 5, when: 'any-failure' } as const;
const PUT = { method: 'PUT', body: { json: { a: 1 } }, retry: REPEATED } as const;

describe('a write', () => {
  async function send(reply: Reply, options: HttpClientOptions, request: Omit<HttpRequest, 'url'> = PUT) {
    server = await startLocalHttp(reply);
    const clock = { now: () => new Date(0), sleep: async () => {} };
    return httpClient({ clock, random: () => 0, ...options })
      .text({ url: server.url, ...request })
      .then(
        ({ status }) => ({ status, code: '', mayHaveArrived: undefined }),
        (thrown: unknown) => {
          if (!(thrown instanceof HttpFailure)) throw thrown;
          return { status: 0, code: thrown.code, mayHaveArrived: thrown.mayHaveArrived };
        },
      );
  }

  it('asks before each attempt', async () => {
    const given = permit();
    const replies = inTurn(json(503, {}), hangUp, json(429, {}), json(200, {}));
    expect(await send(replies, { permit: () => given })).toMatchObject({ status: 200 });
    expect(given.asked).toBeGreaterThanOrEqual(4);
    expect(server?.seen).toHaveLength(4);
  });

  it.each([
    { given: '503, after which it may have arrived', first: json(503, {}), mayHaveArrived: true },
    { given: '429, which the server did not act on', first: json(429, {}), mayHaveArrived: false },
  ])('is not repeated after $given, when the permit ended in the pause', async ({ first, mayHaveArrived }) => {
    const given = permit();
    const clock = { now: () => new Date(0), sleep: async () => given.end() };
    const sent = await send(inTurn(first, json(200, {})), { permit: () => given, clock });
    expect(sent).toEqual({ status: 0, code: 'HTTP_NOT_PERMITTED', mayHaveArrived });
    expect(server?.seen).toHaveLength(1);
  });

  it('wakes from the pause that the server asked for as soon as the permit ends', async () => {
    const given = permit();
    const clock = {
      now: () => new Date(0),
      sleep: (_ms: number, signal?: AbortSignal) =>
        new Promise<void>((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
          given.end();
        }),
    };
    const replies = inTurn(json(503, {}, { 'retry-after': '30' }), json(200, {}));
    expect(await send(replies, { permit: () => given, clock })).toMatchObject({ code: 'HTTP_NOT_PERMITTED' });
    expect(server?.seen).toHaveLength(1);
  });

  it('is cut short when the permit ends, and may have arrived', async () => {
    const given = permit();
    const reply: Reply = (response, request) => {
      given.end();
      return neverAnswer(response, request);
    };
    expect(await send(reply, { permit: () => given })).toEqual({
      ...{ status: 0, code: 'HTTP_NOT_PERMITTED', mayHaveArrived: true },
    });
    expect(server?.seen).toHaveLength(1);
  });

  it('is not sent when the permit ends while the token is fetched', async () => {
    const given = permit();
    const origin = 'http://127.0.0.1';
    const headers = async () => {
      given.end();
      return {};
    };
    const token = { origin, headers, mayBeEmpty: true };
    expect(await send(json(200, {}), { permit: () => given, token })).toMatchObject({
      ...{ code: 'HTTP_NOT_PERMITTED', mayHaveArrived: false },
    });
    expect(server?.seen).toEqual([]);
  });

  it('stays with the permit that it began with, also when there is a new one', async () => {
    const permits = [permit(), permit()];
    let next = 0;
    const clock = { now: () => new Date(0), sleep: async () => permits[0]?.end() };
    const options = { permit: () => permits[next++], clock };
    expect(await send(inTurn(json(503, {}), json(200, {})), options)).toMatchObject({ code: 'HTTP_NOT_PERMITTED' });
    expect([server?.seen.length, permits[1]?.asked]).toEqual([1, 0]);
  });

  it.each([
    { given: 'a GET', request: { method: 'GET' } },
    { given: 'a query', request: { method: 'POST', onlyReads: true, body: { json: {} } } },
  ] as const)('needs a permit, $given does not', async ({ request }) => {
    const given = permit();
    given.end();
    expect(await send(json(200, {}), { permit: () => given }, request)).toMatchObject({ status: 200 });
    expect(given.asked).toBe(0);
  });
});

it('asks once more when the connection is there, before anything is sent', async () => {
  server = await startLocalHttp(json(200, {}));
  const answers = [true, false];
  const given = { mayWrite: () => answers.shift() ?? false, signal: new AbortController().signal };
  const sent = httpClient({ permit: () => given }).text({ url: server.url, ...PUT });
  await expect(sent).rejects.toMatchObject({ code: 'HTTP_NOT_PERMITTED', mayHaveArrived: false });
  expect([answers, server.seen]).toEqual([[], []]);
});
