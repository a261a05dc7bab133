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
import type { KubeConnection } from './connection.ts';
import type { KubeError } from './kube-error.ts';
import {
  DEFAULT_CONCURRENCY,
  type KubeCall,
  type KubeRequest,
  type KubeTransport,
  kubeTransport,
  type TransportOptions,
} from './transport.ts';

const TOKEN = 'sha256~the-token-of-the-account';
const READ: KubeRequest = { method: 'GET', path: '/api/v1/pods', idempotent: true };
const CREATE: KubeRequest = { method: 'POST', path: '/api/v1/pods', body: {}, idempotent: false };

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

interface Opened {
  readonly server: LocalHttp;
  readonly transport: KubeTransport;
  /** How long it waited between tries, in milliseconds. */
  readonly waits: number[];
}

async function against(reply: Reply, options: TransportOptions & { connection?: object } = {}): Promise<Opened> {
  const { connection = {}, ...more } = options;
  const server = await startLocalHttp(reply);
  const waits: number[] = [];
  const transport = kubeTransport(connectionTo(server.url, connection), {
    sleep: async (milliseconds) => void waits.push(milliseconds),
    random: () => 0,
    ...more,
  });
  open.push(transport, server);
  return { server, transport, waits };
}

function connectionTo(server: string, more: object = {}): KubeConnection {
  return {
    name: 'prod',
    server,
    credentials: async () => ({ headers: { Authorization: `Bearer ${TOKEN}` } }),
    ...more,
  };
}

async function errorOf(act: Promise<unknown>): Promise<KubeError> {
  return act.then(
    () => Promise.reject(new Error('it did not fail')),
    (thrown: KubeError) => thrown,
  );
}

describe('tries again', () => {
  it.each([
    { chance: 0, waits: [100, 200, 400, 800] },
    { chance: 0.5, waits: [150, 300, 600, 1200] },
    { chance: 1, waits: [200, 400, 800, 1600] },
  ])('doubling the wait, with a jitter of half of it ($chance)', async ({ chance, waits }) => {
    const answers = inTurn(plain(503), plain(500), plain(502), plain(504), json(200, { ok: true }));
    const opened = await against(answers, { random: () => chance });
    expect(await opened.transport.request(READ)).toEqual({ status: 200, body: { ok: true } });
    expect(opened.waits).toEqual(waits);
  });

  it.each([
    { after: '7', wait: 7_000 },
    { after: '120', wait: 30_000 },
    { after: '0', wait: 100 },
    { after: '-5', wait: 100 },
    { after: '0.01', wait: 100 },
    { after: 'Wed, 21 Oct 2026 07:28:00 GMT', wait: 100 },
    { after: 'soon', wait: 100 },
  ])('after the $after that the server asks for: $wait ms', async ({ after, wait }) => {
    const opened = await against(inTurn(plain(429, '', { 'retry-after': after }), json(200, {})));
    await opened.transport.request(READ);
    expect(opened.waits).toEqual([wait]);
  });

  it('five times in all', async () => {
    const { transport, server, waits } = await against(plain(503, 'down'));
    expect(await errorOf(transport.request(READ))).toMatchObject({ code: 'KUBE_SERVER_ERROR', status: 503 });
    expect(server.seen).toHaveLength(5);
    expect(waits).toHaveLength(4);
  });

  it.each([
    { given: 'too many requests', first: plain(429), read: 'again', create: 'again' },
    { given: 'an error of the server', first: plain(500), read: 'again', create: 'KUBE_SERVER_ERROR' },
    { given: 'no answer at all', first: hangUp, read: 'again', create: 'KUBE_UNREACHABLE' },
    { given: 'half an answer', first: cutShort, read: 'again', create: 'KUBE_UNREACHABLE' },
    { given: 'an answer that is not JSON', first: plain(200, '<html>'), read: 'again', create: 'KUBE_ANSWER' },
    { given: 'an empty answer', first: plain(200), read: 'again', create: 'KUBE_ANSWER' },
    { given: 'a bad request', first: plain(400), read: 'KUBE_INVALID', create: 'KUBE_INVALID' },
    { given: 'no permission', first: plain(403), read: 'KUBE_FORBIDDEN', create: 'KUBE_FORBIDDEN' },
    { given: 'nothing there', first: plain(404), read: 'KUBE_NOT_FOUND', create: 'KUBE_NOT_FOUND' },
    { given: 'a conflict', first: plain(409), read: 'KUBE_CONFLICT', create: 'KUBE_CONFLICT' },
    { given: 'an expired list', first: plain(410), read: 'KUBE_EXPIRED', create: 'KUBE_EXPIRED' },
    { given: 'an invalid object', first: plain(422), read: 'KUBE_INVALID', create: 'KUBE_INVALID' },
    {
      given: 'a field that is not in the schema',
      first: json(500, { message: '.spec.x: field not declared in schema' }),
      read: 'KUBE_INVALID',
      create: 'KUBE_INVALID',
    },
    { given: 'a redirect', first: plain(302), read: 'KUBE_ANSWER', create: 'KUBE_ANSWER' },
  ])('or not, after $given: a read $read, a create $create', async ({ first, read, create }) => {
    const outcome = async (request: KubeRequest): Promise<string> => {
      const { transport, server } = await against(inTurn(first, json(200, {})));
      const code = await transport.request(request).then(
        () => 'again',
        ({ code }: KubeError) => code,
      );
      expect(server.seen).toHaveLength(code === 'again' ? 2 : 1);
      return code;
    };
    expect(await outcome(READ)).toBe(read);
    expect(await outcome(CREATE)).toBe(create);
  });

  it.each([READ, CREATE])('where nobody listened, whatever was asked: $method', async (request) => {
    const { transport, server, waits } = await against(json(200, {}));
    await server.close();
    expect(await errorOf(transport.request(request))).toMatchObject({
      code: 'KUBE_UNREACHABLE',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    expect(waits).toHaveLength(4);
  });

  it.each([READ, CREATE])('what took too long only where it may be asked twice: $method', async (request) => {
    const { transport, server } = await against(inTurn(neverAnswer, json(200, {})), { timeoutMs: 2_000 });
    const outcome = await transport.request(request).then(
      () => 'again',
      ({ code }: KubeError) => code,
    );
    expect(outcome).toBe(request.idempotent ? 'again' : 'KUBE_TIMEOUT');
    expect(server.seen.length > 1).toBe(request.idempotent);
  });
});

describe('credentials that the server refuses', () => {
  const refusing = (reply: Reply) => {
    const asked: boolean[] = [];
    const connection = {
      credentials: async (renew: boolean) => {
        asked.push(renew);
        return { headers: { Authorization: renew ? 'Bearer new' : 'Bearer old' } };
      },
    };
    return { asked, opened: against(reply, { connection }) };
  };
  const onlyNew: Reply = (response, { headers }) =>
    json(headers.authorization === 'Bearer new' ? 200 : 401, {})(response, {} as never);

  it.each([READ, CREATE])('are renewed once, without a wait: $method', async (request) => {
    const { asked, opened } = refusing(onlyNew);
    const { transport, waits } = await opened;
    expect(await transport.request(request)).toMatchObject({ status: 200 });
    expect(asked).toEqual([false, true]);
    expect(waits).toEqual([]);
  });

  it('are not renewed twice', async () => {
    const { asked, opened } = refusing(plain(401));
    const { transport, server } = await opened;
    expect(await errorOf(transport.request(READ))).toMatchObject({ code: 'KUBE_UNAUTHORIZED', status: 401 });
    expect(asked).toEqual([false, true]);
    expect(server.seen).toHaveLength(2);
  });

  it('are renewed again when they are refused after a while', async () => {
    const { asked, opened } = refusing(inTurn(plain(503), plain(401), json(200, {})));
    const { transport } = await opened;
    expect(await transport.request(READ)).toMatchObject({ status: 200 });
    expect(asked).toEqual([false, false, true]);
  });

  it('a login that fails is told as it is', async () => {
    const failure = new Error('the plugin is not installed');
    const { transport, server } = await against(json(200, {}), {
      connection: { credentials: () => Promise.reject(failure) },
    });
    expect(await errorOf(transport.request(READ))).toBe(failure);
    expect(server.seen).toEqual([]);
  });
});

describe('a client that only reads', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)(
    'P2: refuses %s before it logs in or connects',
    async (method) => {
      let logins = 0;
      const { transport, server } = await against(json(200, {}), {
        readOnly: true,
        connection: {
          credentials: async () => {
            logins += 1;
            return { headers: {} };
          },
        },
      });
      const error = await errorOf(transport.request({ method, path: '/api/v1/pods', body: {}, idempotent: true }));
      expect(error).toMatchObject({
        code: 'READ_ONLY',
        message: expect.stringContaining(`prod: ${method} /api/v1/pods`),
      });
      expect([logins, server.seen.length]).toEqual([0, 0]);
    },
  );

  it('reads', async () => {
    const { transport } = await against(json(200, { items: [] }), { readOnly: true });
    expect(await transport.request(READ)).toEqual({ status: 200, body: { items: [] } });
  });
});

describe('requests under way at once', () => {
  /** Holds what arrives until it is told to let go; `/past` goes past. */
  function holding() {
    const held: (() => void)[] = [];
    let changed = Promise.withResolvers<void>();
    const reply: Reply = async (response, request) => {
      if (request.path !== '/past') {
        const go = Promise.withResolvers<void>();
        held.push(go.resolve);
        changed.resolve();
        await go.promise;
      }
      json(200, {})(response, request);
    };
    return {
      reply,
      held,
      arrived: async (count: number) => {
        while (held.length < count) {
          changed = Promise.withResolvers();
          await changed.promise;
        }
      },
      letGo: () => {
        for (const go of held.splice(0)) go();
      },
    };
  }

  it.each([
    { given: 'as many as it was told', options: { concurrency: 3 }, limit: 3 },
    { given: 'a default', options: {}, limit: DEFAULT_CONCURRENCY },
  ])('are $given, the others come in order', async ({ options, limit }) => {
    const hold = holding();
    const { transport, server } = await against(hold.reply, options);
    const paths = Array.from({ length: limit * 2 }, (_, index) => `/api/v1/namespaces/n${index}/pods`);
    const all = paths.map((path) => transport.request({ ...READ, path }));
    for (const wave of [paths.slice(0, limit), paths.slice(limit)]) {
      await hold.arrived(limit);
      // Whatever else was sent at once would be here by now.
      await fetch(`${server.url}/past`);
      expect(hold.held).toHaveLength(limit);
      const seen = server.seen.map(({ path }) => path).filter((path) => path !== '/past');
      expect(seen.slice(-limit).toSorted()).toEqual(wave.toSorted());
      hold.letGo();
    }
    await Promise.all(all);
  });

  it('make room when they fail', async () => {
    const { transport, server } = await against(plain(403), { concurrency: 1 });
    const codes = await Promise.all([1, 2, 3].map(() => errorOf(transport.request(READ)).then(({ code }) => code)));
    expect(codes).toEqual(['KUBE_FORBIDDEN', 'KUBE_FORBIDDEN', 'KUBE_FORBIDDEN']);
    expect(server.seen).toHaveLength(3);
  });
});

describe('somebody who gives up waiting', () => {
  it('ends the request, with their reason', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const { transport, server } = await against(() => stop.abort(reason));
    expect(await errorOf(transport.request({ ...READ, signal: stop.signal }))).toBe(reason);
    expect(server.seen).toHaveLength(1);
  });

  it.each([
    { given: 'before', later: (act: () => void) => act() },
    { given: 'during', later: (act: () => void) => void setImmediate(act) },
  ])('$given the wait between two tries ends it', async ({ later }) => {
    const stop = new AbortController();
    const server = await startLocalHttp(plain(503, '', { 'retry-after': '30' }));
    const transport = kubeTransport(connectionTo(server.url), { onCall: () => later(() => stop.abort()) });
    open.push(transport, server);
    expect(await errorOf(transport.request({ ...READ, signal: stop.signal }))).toMatchObject({ name: 'AbortError' });
    expect(server.seen).toHaveLength(1);
  });

  it('before it began sends nothing', async () => {
    const { transport, server } = await against(json(200, {}));
    const reason = new Error('enough');
    expect(await errorOf(transport.request({ ...READ, signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(server.seen).toEqual([]);
  });
});

it('tells each call for metrics, also those without an answer', async () => {
  const calls: KubeCall[] = [];
  const answers = inTurn(hangUp, plain(503), plain(401), json(200, {}));
  const { transport } = await against(answers, { onCall: (call) => calls.push(call) });
  await transport.request(READ);
  expect(calls.map(({ cluster, method, status }) => ({ cluster, method, status }))).toEqual([
    { cluster: 'prod', method: 'GET', status: undefined },
    { cluster: 'prod', method: 'GET', status: 503 },
    { cluster: 'prod', method: 'GET', status: 401 },
    { cluster: 'prod', method: 'GET', status: 200 },
  ]);
  expect('status' in (calls[0] ?? {})).toBe(false);
  expect(calls.every(({ seconds }) => seconds >= 0)).toBe(true);
});

describe('X1: the token is in no error, whatever happens', () => {
  const everything = (error: unknown): string => {
    const { message, stack, hint, cause, ...more } = error as KubeError;
    return [message, stack, hint, JSON.stringify(more), cause === undefined ? '' : everything(cause)].join('\n');
  };

  it.each([
    { given: 'no answer', reply: hangUp },
    { given: 'a refusal', reply: plain(401, 'Unauthorized') },
    {
      given: 'an answer with the request in it',
      reply: ((response, { headers }) => plain(400, JSON.stringify({ headers }))(response, {} as never)) as Reply,
    },
    {
      given: 'a message with the token in it',
      reply: ((response, { headers }) =>
        json(422, {
          message: `bad ${headers.authorization}`,
          details: { causes: [{ field: 'a', reason: 'FieldManagerConflict', message: headers.authorization }] },
        })(response, {} as never)) as Reply,
    },
    {
      given: 'an answer that is nothing but the token',
      reply: ((response, { headers }) => plain(200, headers.authorization)(response, {} as never)) as Reply,
    },
    {
      given: 'half an answer',
      reply: ((response, { headers }) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write(`{"a":"${headers.authorization}"`, () => response.destroy());
      }) as Reply,
    },
  ])('$given', async ({ reply }) => {
    const { transport, server } = await against(reply);
    const error = await errorOf(transport.request(READ));
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(everything(error)).not.toContain(TOKEN);
    expect(error.message).toContain('prod');
  });

  it('a token that is no header', async () => {
    const connection = { credentials: async () => ({ headers: { Authorization: `Bearer ${TOKEN}\nX: y` } }) };
    const { transport } = await against(json(200, {}), { connection });
    expect(everything(await errorOf(transport.request(READ)))).not.toContain(TOKEN);
  });
});
