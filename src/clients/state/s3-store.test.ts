import { afterEach, describe, expect, it } from 'vitest';
import {
  hangUp,
  inTurn,
  type LocalHttp,
  neverAnswer,
  plain,
  type Reply,
  startLocalHttp,
} from '../../../test/support/local-http.ts';
import { EchelonError, type StateStore } from '../../base/index.ts';
import type { S3StoreOptions } from './s3-store.ts';
import { createS3Store } from './s3-store.ts';
import { MAX_STATE_BYTES } from './state-error.ts';

const SECRET = 'hush-hush-hush';
const ETAG = '"9a0364b9e99bb480dd25e1f0284c8555"';

let server: LocalHttp | undefined;
afterEach(() => server?.close());

/** A store on a server that refuses the write that proves conditions, and answers everything else as the test says. */
async function start(reply: Reply, options: Partial<S3StoreOptions> = {}): Promise<StateStore> {
  server = await startLocalHttp((response, request) =>
    (request.path.endsWith('/echelon-conditional-write') ? xml(412, 'PreconditionFailed') : reply)(response, request),
  );
  return createS3Store({
    env: {},
    ...{ bucket: 'fleet', endpoint: server.url, pathStyle: true },
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: SECRET },
    ...options,
  });
}

function xml(status: number, code: string): Reply {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no: ${SECRET}</Message></Error>`;
  return plain(status, body, { 'content-type': 'application/xml' });
}

const bytes = (text: string): Buffer => Buffer.from(text);
const written = plain(200, '', { etag: ETAG });
/** What was asked, without the proof of conditions. */
const asked = () => server!.seen.filter(({ path }) => !path.endsWith('/echelon-conditional-write'));

async function fault(asking: Promise<unknown>): Promise<EchelonError> {
  const thrown: unknown = await asking.then(
    () => new Error('it worked'),
    (error: unknown) => error,
  );
  if (thrown instanceof EchelonError) return thrown;
  throw thrown;
}

describe('an object', () => {
  it.each([
    { given: 'no prefix', prefix: undefined, path: '/fleet/env/org', name: 's3://fleet/' },
    { given: 'a prefix', prefix: 'state/aus', path: '/fleet/state/aus/env/org', name: 's3://fleet/state/aus/' },
    { given: 'slashes around it', prefix: '/state/', path: '/fleet/state/env/org', name: 's3://fleet/state/' },
  ])('with $given is at $path', async ({ prefix, path, name }) => {
    const store = await start(plain(200, 'abc', { etag: ETAG }), prefix === undefined ? {} : { prefix });
    const stored = await store.read('env/org');
    expect({ text: Buffer.from(stored?.value ?? []).toString(), version: stored?.version }).toEqual({
      text: 'abc',
      version: ETAG,
    });
    expect(asked()).toMatchObject([{ method: 'GET', path }]);
    expect(store.name).toBe(name);
  });

  it('is signed for, and the secret is not sent', async () => {
    const store = await start(written);
    await store.write('k', bytes('x'), 'absent');
    expect(asked()[0]?.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d+\/us-east-1\/s3\//);
    expect(JSON.stringify(server?.seen)).not.toContain(SECRET);
  });

  it.each([
    { given: 'absent', expected: 'absent', headers: { 'if-none-match': '*' } },
    { given: 'of a version', expected: ETAG, headers: { 'if-match': ETAG } },
  ])('that is $given is written on that condition', async ({ expected, headers }) => {
    const store = await start(written);
    expect(await store.write('k', bytes('x'), expected)).toEqual({ version: ETAG });
    expect(asked()).toMatchObject([{ method: 'PUT', path: '/fleet/k', body: 'x', headers }]);
  });

  it.each([
    { status: 412, code: 'PreconditionFailed' },
    { status: 409, code: 'ConditionalRequestConflict' },
    { status: 404, code: 'NoSuchKey' },
  ])('is lost to another writer with $code', async ({ status, code }) => {
    const store = await start(xml(status, code));
    expect(await store.write('k', bytes('x'), ETAG)).toBe('lost-race');
    expect(asked()).toHaveLength(1);
  });

  it.each([
    { given: 'its own value', value: 'mine', result: { version: ETAG } },
    { given: 'the value of another', value: 'other', result: 'lost-race' },
  ])('whose first write was not answered is met again: $given', async ({ value, result }) => {
    const put = inTurn(hangUp, xml(412, 'PreconditionFailed'));
    const store = await start((response, request) =>
      (request.method === 'PUT' ? put : plain(200, value, { etag: ETAG }))(response, request),
    );
    expect(await store.write('k', bytes('mine'), 'absent')).toEqual(result);
    expect(asked().map(({ method }) => method)).toEqual(['PUT', 'PUT', 'GET']);
  });

  it('that is not there is undefined', async () => {
    const store = await start(xml(404, 'NoSuchKey'));
    expect(await store.read('k')).toBeUndefined();
  });
});

describe('a server', () => {
  it('is asked once whether it keeps conditions', async () => {
    const store = await start(written);
    await Promise.all([store.write('a', bytes('x'), 'absent'), store.write('b', bytes('x'), 'absent')]);
    await store.write('c', bytes('x'), 'absent');
    const proofs = server!.seen.filter(({ path }) => path.endsWith('/echelon-conditional-write'));
    expect(proofs).toMatchObject([{ method: 'PUT', headers: { 'if-match': expect.any(String) } }]);
  });

  it('that ignores conditions is refused before anything is written', async () => {
    server = await startLocalHttp((response, request) =>
      (request.method === 'DELETE' ? plain(204) : written)(response, request),
    );
    const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: SECRET };
    const store = createS3Store({
      env: {},
      bucket: 'fleet',
      prefix: 'p',
      endpoint: server.url,
      pathStyle: true,
      credentials,
    });
    expect(await fault(store.write('k', bytes('x'), 'absent'))).toMatchObject({ code: 'STATE_NO_CONDITIONAL_WRITES' });
    expect(server.seen.map(({ method, path }) => [method, path])).toEqual([
      ['PUT', '/fleet/p/echelon-conditional-write'],
      ['DELETE', '/fleet/p/echelon-conditional-write'],
    ]);
  });

  it('that could not be asked is asked again', async () => {
    const proof = inTurn(xml(403, 'AccessDenied'), xml(404, 'NoSuchKey'));
    server = await startLocalHttp((response, request) =>
      (request.path.endsWith('/echelon-conditional-write') ? proof : written)(response, request),
    );
    const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: SECRET };
    const store = createS3Store({ env: {}, bucket: 'fleet', endpoint: server.url, pathStyle: true, credentials });
    expect(await fault(store.write('k', bytes('x'), 'absent'))).toMatchObject({ code: 'STATE_FORBIDDEN' });
    expect(await store.write('k', bytes('x'), 'absent')).toEqual({ version: ETAG });
  });
});

describe('a fault', () => {
  it.each([
    {
      given: 'a bucket that is not there',
      reply: xml(404, 'NoSuchBucket'),
      code: 'STATE_NO_BUCKET',
      says: 'NoSuchBucket (404)',
    },
    { given: 'no access', reply: xml(403, 'AccessDenied'), code: 'STATE_FORBIDDEN', says: 'AccessDenied (403)' },
    {
      given: 'a wrong secret',
      reply: xml(403, 'SignatureDoesNotMatch'),
      code: 'STATE_FORBIDDEN',
      says: 'SignatureDoesNotMatch (403)',
    },
    { given: 'a page of a proxy', reply: plain(401, '<html>'), code: 'STATE_FORBIDDEN', says: '(401)' },
    {
      given: 'a server that fails',
      reply: xml(500, 'InternalError'),
      code: 'STATE_FAILED',
      says: 'InternalError (500)',
    },
    { given: 'a server that hangs up', reply: hangUp, code: 'STATE_UNREACHABLE', says: 'ECONNRESET' },
    {
      given: 'a wrong region',
      reply: xml(400, 'AuthorizationHeaderMalformed'),
      code: 'STATE_FAILED',
      says: 'AuthorizationHeaderMalformed (400)',
    },
  ])('such as $given is $code, and names the object', async ({ reply, code, says }) => {
    const store = await start(reply);
    for (const [action, act] of [
      ['read', () => store.read('env/org')],
      ['write', () => store.write('env/org', bytes('x'), ETAG)],
    ] as const) {
      const error = await fault(act());
      expect(error).toMatchObject({ code, message: expect.stringContaining(`cannot ${action} s3://fleet/env/org: `) });
      expect(error.message).toContain(says);
      expect(`${error}${error.hint}${JSON.stringify(error)}${error.stack}${String(error.cause)}`).not.toContain(SECRET);
    }
  });

  it.each([
    { given: 'a server that is silent', reply: neverAnswer },
    {
      given: 'a server that stops in the middle',
      reply: ((response) => {
        response.writeHead(200, { etag: ETAG, 'content-length': '100' });
        response.write('half');
      }) as Reply,
    },
  ])('such as $given ends in time', async ({ reply }) => {
    const store = await start(reply, { timeoutMs: 300 });
    expect(await fault(store.read('k'))).toMatchObject({
      code: 'STATE_UNREACHABLE',
      message: 'cannot read s3://fleet/k: timed out',
    });
  });

  it('such as a server that is not there is unreachable', async () => {
    const store = await start(written);
    await server?.close();
    expect(await fault(store.read('x'))).toMatchObject({
      code: 'STATE_UNREACHABLE',
      message: 'cannot read s3://fleet/x: ECONNREFUSED',
    });
  });

  it('such as an object without end is too large', async () => {
    const piece = Buffer.alloc(1024 * 1024);
    const store = await start((response) => {
      response.writeHead(200, { etag: ETAG });
      const more = (): void => {
        if (!response.destroyed) response.write(piece, more);
      };
      more();
    });
    expect(await fault(store.read('k'))).toMatchObject({
      code: 'STATE_TOO_LARGE',
      message: 's3://fleet/k has more than 64.0 MiB',
    });
  });

  it('such as a value that is too large is told before it is sent', async () => {
    const store = await start(written);
    expect(await fault(store.write('k', new Uint8Array(MAX_STATE_BYTES + 1), 'absent'))).toMatchObject({
      code: 'STATE_TOO_LARGE',
    });
    expect(server?.seen).toEqual([]);
  });

  it('such as an object without a version is told', async () => {
    const store = await start(plain(200, 'abc'));
    expect(await fault(store.read('k'))).toMatchObject({
      code: 'STATE_FAILED',
      message: 'the server returns no ETag for s3://fleet/k',
    });
  });
});
