import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import {
  cutShort,
  hangUp,
  inTurn,
  json,
  type LocalHttp,
  neverAnswer,
  plain,
  type Reply,
  startLocalHttp,
} from '../../../test/support/local-http.ts';
import { EchelonError } from '../../base/index.ts';
import { limiter } from './http-client.ts';
import { type HttpAnswer, HttpFailure, type HttpRequest, httpClient } from './index.ts';
import type { HttpClientOptions } from './request.ts';

const SECRET = 'tea-leaf';
const ONCE = { attempts: 1, when: 'never' } as const;

type Asked = HttpRequest & HttpClientOptions;

function requestJson(asked: Asked): Promise<HttpAnswer> {
  return httpClient(asked).json(asked);
}

let server: LocalHttp | undefined;
let waits: number[];

afterEach(() => server?.close());

async function ask(reply: Reply, request: Partial<Asked> = {}) {
  waits = [];
  server = await startLocalHttp(reply);
  const clock = {
    now: () => new Date(0),
    sleep: async (ms: number) => {
      waits.push(ms);
    },
  };
  return requestJson({ url: `${server.url}/things?token=${SECRET}`, clock, random: () => 1, ...request });
}

async function failure(asking: Promise<unknown>): Promise<HttpFailure> {
  try {
    await asking;
  } catch (thrown) {
    if (thrown instanceof HttpFailure) return thrown;
    throw thrown;
  }
  throw new Error('there was an answer');
}

describe('a request that has ended', () => {
  it.each([
    { given: 'with a response', reply: json(200, {}) },
    { given: 'without one', reply: hangUp },
  ])('$given leaves nothing on the signal of its caller', async ({ reply }) => {
    const { signal } = new AbortController();
    const asked = ask(reply, { signal, retry: ONCE }).catch(() => undefined);
    await asked;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('what is sent', () => {
  it.each([
    { given: 'a GET', request: {}, method: 'GET', type: undefined, body: '' },
    {
      given: 'JSON',
      request: { method: 'POST', body: { json: { a: ['ä'] } } },
      ...{ method: 'POST', type: 'application/json', body: '{"a":["ä"]}' },
    },
    {
      given: 'a form',
      request: { method: 'POST', body: { form: { a: 'b&c=d e', f: 'ä' } } },
      ...{ method: 'POST', type: 'application/x-www-form-urlencoded', body: 'a=b%26c%3Dd+e&f=%C3%A4' },
    },
    { given: 'a DELETE', request: { method: 'DELETE' }, method: 'DELETE', type: undefined, body: '' },
  ] as const)('as $given', async ({ request, method, type, body }) => {
    await ask(json(200, {}), { ...request, headers: { authorization: 'Bearer x' } });
    expect(server?.seen).toMatchObject([{ method, path: '/things', query: { token: SECRET }, body }]);
    expect(server?.seen[0]?.headers).toMatchObject({ accept: 'application/json', authorization: 'Bearer x' });
    expect(server?.seen[0]?.headers['content-type']).toBe(type);
  });
});

describe('an answer', () => {
  it.each([
    { given: 'JSON', reply: json(200, { a: [1] }), answer: { status: 200, body: { a: [1] } } },
    { given: 'nothing', reply: plain(204), answer: { status: 204, body: undefined } },
    { given: 'blank text', reply: plain(200, ' \n'), answer: { status: 200, body: undefined } },
    { given: 'a refusal', reply: json(404, { reason: 'no' }), answer: { status: 404, body: { reason: 'no' } } },
    { given: 'a page that refuses', reply: plain(403, '<html>'), answer: { status: 403, body: undefined } },
    {
      given: 'a redirection, which is not followed',
      reply: plain(302, '', { location: 'http://127.0.0.1:9/' }),
      answer: { status: 302, body: undefined },
    },
  ])('is $given', async ({ reply, answer }) => {
    expect(await ask(reply)).toMatchObject(answer);
  });

  it('keeps its headers', async () => {
    expect((await ask(json(200, {}, { 'x-operation-id': 'op' }))).headers.get('x-operation-id')).toBe('op');
  });

  it.each([
    { given: 'a page', reply: plain(200, '<html>'), says: 'returned 200 with a body that is not JSON' },
    { given: 'half of JSON', reply: plain(201, '{"a":'), says: 'returned 201 with a body that is not JSON' },
  ])('that is $given is a failure', async ({ reply, says }) => {
    const error = await failure(ask(reply));
    expect(error).toMatchObject({ code: 'HTTP_NOT_JSON', message: `GET ${server?.url}/things ${says}` });
    expect(server?.seen).toHaveLength(1);
  });

  it.each([
    { given: 'as large as the limit', bytes: 1000, code: undefined },
    { given: 'one byte larger', bytes: 1001, code: 'HTTP_ANSWER_TOO_LARGE' },
    { given: 'without end', bytes: Number.POSITIVE_INFINITY, code: 'HTTP_ANSWER_TOO_LARGE' },
  ])('that is $given: $code', async ({ bytes, code }) => {
    const asking = ask(endless(bytes), { maxBytes: 1000 });
    if (code === undefined) expect((await asking).body).toHaveLength(998);
    else expect(await failure(asking)).toMatchObject({ code, message: expect.stringContaining('1000 bytes') });
    expect(server?.seen).toHaveLength(1);
  });
});

/** A JSON text of so many bytes, in pieces; the connection ends it when there is no end. */
function endless(bytes: number): Reply {
  return (response) => {
    let left = bytes - 2;
    const more = (): void => {
      const piece = 'x'.repeat(Math.min(left, 100));
      left -= piece.length;
      if (left === 0) response.end(`${piece}"`);
      else if (!response.destroyed) response.write(piece, more);
    };
    response.writeHead(200).write('"', more);
  };
}

/** Only ends what hangs. */
const PATIENCE_MS = 300_000;

describe('another try', () => {
  const yes = json(200, 'yes');
  it.each([
    { after: 'too many requests', first: plain(429), waited: [500] },
    { after: 'too many requests, with a time', first: plain(429, '', { 'retry-after': '3' }), waited: [3_500] },
    { after: 'a fault of the server', first: plain(500), waited: [500] },
    { after: 'a fault of a gateway', first: plain(502, '<html>'), waited: [500] },
    { after: 'a broken connection', first: hangUp, waited: [500] },
    { after: 'half an answer', first: cutShort, waited: [500] },
    // The second request has the same limit, which a busy machine must not reach.
    { after: 'timed out', first: neverAnswer, waited: [500], timeoutMs: 2_000 },
  ])('comes after $after', async ({ first, waited, timeoutMs = PATIENCE_MS }) => {
    expect(await ask(inTurn(first, yes), { timeoutMs })).toMatchObject({ status: 200, body: 'yes' });
    expect({ tries: server?.seen.length, waits }).toEqual({ tries: 2, waits: waited });
  });

  it.each([
    { of: 'a POST', method: 'POST', retry: undefined, tries: 1 },
    { of: 'a PATCH', method: 'PATCH', retry: undefined, tries: 1 },
    { of: 'a DELETE', method: 'DELETE', retry: undefined, tries: 1 },
    { of: 'a POST that may be repeated', method: 'POST', retry: { attempts: 3, when: 'any-failure' }, tries: 3 },
    { of: 'a POST that was acted on', method: 'POST', retry: { attempts: 3, when: 'not-processed' }, tries: 1 },
    { of: 'a GET', method: 'GET', retry: undefined, tries: 4 },
  ] as const)('of $of that the server fails: $tries in all', async ({ method, retry, tries }) => {
    const answer = await ask(json(503, { reason: 'busy' }), { method, ...(retry && { retry }) });
    expect(answer).toMatchObject({ status: 503, body: { reason: 'busy' } });
    expect(server?.seen).toHaveLength(tries);
  });

  it('is told of, one by one', async () => {
    const told: unknown[] = [];
    await ask(inTurn(plain(503), hangUp, yes), { onAttempt: (attempt) => told.push(attempt) });
    expect(told).toEqual([
      { attempt: 1, status: 503, seconds: 0 },
      { attempt: 2, status: 0, seconds: 0 },
      { attempt: 3, status: 200, seconds: 0 },
    ]);
  });
});

describe('no answer', () => {
  it.each([
    { given: 'in time', reply: neverAnswer, request: { timeoutMs: 50 }, says: /: no response within 0.05 s$/ },
    { given: 'to the end', reply: cutShort, request: {}, says: /: aborted$/ },
  ])('$given is a failure that names the request without its query', async ({ reply, request, says }) => {
    const error = await failure(ask(reply, { ...request, retry: ONCE }));
    expect(error).toMatchObject({
      code: 'HTTP_UNREACHABLE',
      message: expect.stringMatching(says),
      mayHaveArrived: true,
    });
    expect(error.message).toContain(`GET ${server?.url}/things: no response after 1 attempt: `);
  });

  it.each([
    { given: 'never had the request', replies: [], mayHaveArrived: false },
    { given: 'had it once', replies: [hangUp], mayHaveArrived: true },
    { given: 'failed with it once', replies: [plain(500)], mayHaveArrived: true },
    { given: 'was too busy once', replies: [plain(429)], mayHaveArrived: false },
  ])('of a server that $given and is gone', async ({ replies, mayHaveArrived }) => {
    const gone = await startLocalHttp(inTurn(...replies));
    if (replies.length === 0) await gone.close();
    const clock = { now: () => new Date(0), sleep: () => gone.close() };
    const asking = requestJson({
      ...{ url: `${gone.url}/x`, method: 'POST', clock },
      retry: { attempts: 2, when: 'any-failure' },
    });
    expect(await failure(asking)).toMatchObject({
      code: 'HTTP_UNREACHABLE',
      message: expect.stringMatching(/\/x: no response after 2 attempts: .*ECONNREFUSED/),
      mayHaveArrived,
    });
  });
});

describe('a caller that gives up', () => {
  it('before it asks, sends nothing', async () => {
    const reason = new Error('enough');
    await expect(ask(json(200, {}), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server?.seen).toEqual([]);
  });

  it('while it waits for an answer, gets its own reason', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const asking = ask(() => stop.abort(reason), { signal: stop.signal });
    await expect(asking).rejects.toBe(reason);
    expect(server?.seen).toHaveLength(1);
  });

  it('between two tries, gets its own reason', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const clock = {
      now: () => new Date(0),
      sleep: async (_: number, signal?: AbortSignal) => {
        stop.abort(reason);
        signal?.throwIfAborted();
      },
    };
    await expect(ask(plain(503), { signal: stop.signal, clock })).rejects.toBe(reason);
    expect(server?.seen).toHaveLength(1);
  });
});

describe('a request that cannot be sent', () => {
  it.each([
    { given: 'a header of two lines', request: { headers: { authorization: `Bearer ${SECRET}\nx` } } },
    { given: 'a header outside Latin-1', request: { headers: { authorization: `Bearer ${SECRET}→` } } },
    { given: 'no URL', request: { url: `${SECRET} x` } },
    { given: 'another scheme', request: { url: `ftp://example.com/${SECRET}` } },
    { given: 'a password in the address', request: { url: `https://user:${SECRET}@example.com/` } },
  ])('for $given says so without the secret', async ({ request }) => {
    const error = await ask(json(200, {}), request).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(EchelonError);
    expect(error).toMatchObject({ code: expect.stringMatching(/^HTTP_(HEADER|URL)_INVALID$/) });
    expect(`${error}${JSON.stringify(error)}${(error as Error).stack}`).not.toContain(SECRET);
    expect(server?.seen).toEqual([]);
  });
});

describe('a limit on jobs at a time', () => {
  it.each([1, 2, 3])('of %i is reached and never passed', async (limit) => {
    const run = limiter(limit);
    let running = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 10 }, () =>
        run(async () => {
          running += 1;
          most = Math.max(most, running);
          await new Promise(setImmediate);
          running -= 1;
        }),
      ),
    );
    expect({ most, running }).toEqual({ most: limit, running: 0 });
  });

  it('starts jobs in the order they come, and gives each its own result', async () => {
    const run = limiter(2);
    const started: number[] = [];
    const results = await Promise.all(
      [0, 1, 2, 3, 4].map((job) =>
        run(async () => {
          started.push(job);
          await new Promise(setImmediate);
          return job * 10;
        }),
      ),
    );
    expect({ started, results }).toEqual({ started: [0, 1, 2, 3, 4], results: [0, 10, 20, 30, 40] });
  });

  it('gives the room of a job that failed to the next', async () => {
    const run = limiter(1);
    const failed = run(() => Promise.reject(new Error('no')));
    const after = run(async () => 'yes');
    await expect(failed).rejects.toThrow('no');
    expect(await after).toBe('yes');
  });

  it.each([0, -1, 1.5, Number.NaN])('of %s is refused', (limit) => {
    expect(() => limiter(limit)).toThrow(RangeError);
  });
});
