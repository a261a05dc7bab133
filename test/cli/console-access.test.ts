import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { ConsoleFlags } from '../../src/cli/commands/console/commands.ts';
import { type ConsoleRun, runConsole } from '../support/console-run.ts';
import { AUTHORITY, CLIENT, SERVER } from '../support/local-https.ts';

const TOKEN = 'a-token-that-nobody-may-guess-0123456789';
const folder = mkdtempSync(join(tmpdir(), 'echelon-console-'));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return name;
};
const TLS = { tlsCert: file('cert.pem', SERVER.cert), tlsKey: file('key.pem', SERVER.key) };
const TOKEN_FILE = file('token', `${TOKEN}\n`);
const CLIENT_CA = file('ca.pem', AUTHORITY);

const open: ConsoleRun[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((run) => run.stop()));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function start(flags: Partial<ConsoleFlags>): Promise<ConsoleRun> {
  const run = await runConsole({ env: {}, cwd: folder }, flags);
  open.push(run);
  return run;
}

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
}

function get(url: string, headers: Readonly<Record<string, string>> = {}, tls: object = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    const secure = { ca: AUTHORITY, servername: 'kube.test', ...tls };
    const sent = url.startsWith('https:')
      ? secureRequest(url, { headers, agent: false, ...secure })
      : request(url, { headers, agent: false });
    sent.once('response', (response) => {
      response.resume();
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers }));
    });
    sent.once('error', reject);
    sent.end();
  });
}

describe('on this machine', () => {
  it.each([
    { host: '127.0.0.1', status: 200 },
    { host: 'localhost:9999', status: 200 },
    { host: '[::1]:80', status: 200 },
    { host: 'bastion.example.com', status: 200 },
    { host: 'evil.example.com', status: 421 },
    { host: '127.0.0.1.evil.example.com', status: 421 },
    { host: 'localhost.evil.example.com', status: 421 },
  ])('a request for $host is answered $status', async ({ host, status }) => {
    const { url } = await start({ hostName: ['bastion.example.com'] });
    expect((await get(`${url}/help`, { host })).status).toBe(status);
  });

  it('a token that was asked for is needed here too', async () => {
    const { url } = await start({ tokenFile: TOKEN_FILE });
    expect((await get(`${url}/help`)).status).toBe(401);
  });
});

describe('with a token', () => {
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
  it.each([
    { shown: 'nothing', authorization: undefined, status: 401 },
    { shown: 'the token', authorization: `Bearer ${TOKEN}`, status: 200 },
    { shown: 'the token in another case of the scheme', authorization: `bearer ${TOKEN}`, status: 200 },
    { shown: 'the token as a password', authorization: basic(`anybody:${TOKEN}`), status: 200 },
    { shown: 'another', authorization: 'Bearer another-token-of-that-length-0123456789', status: 401 },
    { shown: 'a part of it', authorization: `Bearer ${TOKEN.slice(0, -1)}`, status: 401 },
    { shown: 'more than it', authorization: `Bearer ${TOKEN}x`, status: 401 },
    { shown: 'it as a user', authorization: basic(`${TOKEN}:`), status: 401 },
    { shown: 'it by another scheme', authorization: `Digest ${TOKEN}`, status: 401 },
  ])('$shown is answered $status', async ({ authorization, status }) => {
    const run = await start({ tokenFile: TOKEN_FILE });
    const got = await get(`${run.url}/overview.json`, authorization === undefined ? {} : { authorization });
    expect(got.status).toBe(status);
    if (status === 401) expect(got.headers['www-authenticate']).toContain('Basic realm=');
    expect(got.headers['x-frame-options']).toBe('DENY');
    expect(run.output.stdout + run.output.stderr).not.toContain(TOKEN);
  });
});

describe('a token that changes', () => {
  const NEXT = 'the-next-token-that-nobody-may-guess-0123456789';
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  it('counts at once, and the one before no more', async () => {
    const { url, output } = await start({ tokenFile: file('changing', TOKEN) });
    expect((await get(`${url}/help`, bearer(TOKEN))).status).toBe(200);
    file('changing', `${NEXT}\n`);
    expect((await get(`${url}/help`, bearer(TOKEN))).status).toBe(401);
    expect((await get(`${url}/help`, bearer(NEXT))).status).toBe(200);
    expect(output.stdout + output.stderr).not.toMatch(/nobody-may-guess/);
  });

  it.each([
    { into: 'nothing', text: '', why: 'is shorter than 16 characters' },
    { into: 'two words', text: 'two words of enough length', why: 'or contains spaces' },
    { into: 'a file that is gone', text: undefined, why: 'cannot read --token-file' },
  ])('into $into gives access to nobody, and is reported once', async ({ text, why }) => {
    const { url, output } = await start({ tokenFile: file('broken', TOKEN) });
    if (text === undefined) rmSync(join(folder, 'broken'));
    else file('broken', text);
    for (const shown of [{}, bearer(TOKEN), bearer(''), bearer(text ?? '')])
      expect((await get(`${url}/help`, shown)).status).toBe(503);
    expect(output.stderr.match(new RegExp(why, 'g'))).toHaveLength(1);
    file('broken', NEXT);
    expect((await get(`${url}/help`, bearer(NEXT))).status).toBe(200);
  });
});

describe('/healthz', () => {
  it.each([
    { given: 'a token', flags: { tokenFile: TOKEN_FILE } },
    { given: 'a token on all addresses', flags: { listen: '0.0.0.0:0', tokenFile: TOKEN_FILE, ...TLS } },
    { given: 'names of hosts', flags: { hostName: ['bastion.example.com'] } },
  ])('with $given is for everybody, and only it', async ({ flags }) => {
    const { url } = await start(flags);
    const place = url.replace('0.0.0.0', '127.0.0.1');
    const host = { host: '10.128.0.7:8080' };
    expect((await get(`${place}/healthz`, host)).status).toBe(200);
    expect((await get(`${place}/healthz`, host)).headers['content-length']).toBe('3');
    for (const path of ['/', '/healthz/', '/healthz/../clusters', '//healthz', '/healthz%2f..', '/clusters?/healthz'])
      expect((await get(`${place}${path}`, host)).status).toBeOneOf([401, 421]);
  });
});

describe('a certificate that changes', () => {
  const offered = (url: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(url);
      const socket = connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false }, () => {
        resolve(socket.getPeerCertificate().fingerprint256);
        socket.destroy();
      });
      socket.once('error', reject);
    });
  const fingerprint = ({ cert }: { cert: string }): string => new X509Certificate(cert).fingerprint256;

  it('is what the next connection gets; one that is not valid is reported once, and the one before stays', async () => {
    const tls = { tlsCert: file('new.pem', SERVER.cert), tlsKey: file('new-key.pem', SERVER.key) };
    const { url, output } = await start({ tokenFile: TOKEN_FILE, ...tls });
    expect(await offered(url)).toBe(fingerprint(SERVER));
    file('new.pem', CLIENT.cert);
    expect(await offered(url)).toBe(fingerprint(SERVER));
    expect(await offered(url)).toBe(fingerprint(SERVER));
    expect(output.stderr.match(/invalid certificate or key/g)).toHaveLength(1);
    file('new-key.pem', CLIENT.key);
    expect(await offered(url)).toBe(fingerprint(CLIENT));
    expect(output.stderr).not.toContain(CLIENT.key);
  });
});

describe('with client certificates', () => {
  it('who has one is answered, over TLS for good', async () => {
    const { url } = await start({ listen: '0.0.0.0:0', ...TLS, clientCa: CLIENT_CA });
    expect(url).toMatch(/^https:/);
    const { status, headers } = await get(`${url.replace('0.0.0.0', '127.0.0.1')}/help`, {}, CLIENT);
    expect(status).toBe(200);
    expect(headers['strict-transport-security']).toBe('max-age=31536000');
  });

  it('who has none is not', async () => {
    const { url } = await start({ listen: '0.0.0.0:0', ...TLS, clientCa: CLIENT_CA });
    await expect(get(`${url.replace('0.0.0.0', '127.0.0.1')}/help`)).rejects.toThrow();
  });

  it('who has one still needs the token where there is one', async () => {
    const { url } = await start({ listen: '0.0.0.0:0', ...TLS, clientCa: CLIENT_CA, tokenFile: TOKEN_FILE });
    const place = `${url.replace('0.0.0.0', '127.0.0.1')}/help`;
    expect((await get(place, {}, CLIENT)).status).toBe(401);
    expect((await get(place, { authorization: `Bearer ${TOKEN}` }, CLIENT)).status).toBe(200);
  });
});

describe('it does not start', () => {
  it.each<{ given: string; flags: Partial<ConsoleFlags>; code: string }>([
    { given: 'for everybody without a token', flags: { listen: '0.0.0.0:0' }, code: 'CONSOLE_UNPROTECTED' },
    { given: 'for everybody with only TLS', flags: { listen: '[::]:0', ...TLS }, code: 'CONSOLE_UNPROTECTED' },
    {
      given: 'with a token in the open',
      flags: { listen: '0.0.0.0:0', tokenFile: TOKEN_FILE },
      code: 'CONSOLE_UNENCRYPTED',
    },
    { given: 'with a key alone', flags: { tlsKey: TLS.tlsKey }, code: 'FLAG_INVALID' },
    { given: 'with a client authority alone', flags: { clientCa: CLIENT_CA }, code: 'FLAG_INVALID' },
    { given: 'with a short token', flags: { tokenFile: file('short', 'secret') }, code: 'TOKEN_INVALID' },
    { given: 'without its token file', flags: { tokenFile: 'nowhere' }, code: 'FILE_UNREADABLE' },
    { given: 'with what is no certificate', flags: { ...TLS, tlsCert: TOKEN_FILE }, code: 'TLS_INVALID' },
    { given: 'without a port', flags: { listen: '127.0.0.1' }, code: 'FLAG_INVALID' },
    { given: 'on a port that there is not', flags: { listen: '127.0.0.1:70000' }, code: 'FLAG_INVALID' },
  ])('$given: $code', async ({ flags, code }) => {
    await expect(start(flags)).rejects.toMatchObject({ code, hint: expect.stringMatching(/\S/) });
  });

  it('on a port that is taken, and says what to do', async () => {
    const { url } = await start({});
    await expect(start({ listen: new URL(url).host })).rejects.toMatchObject({
      code: 'PORT_UNAVAILABLE',
      message: expect.stringContaining('the port is in use'),
      hint: 'pass another port with --listen, or 0 for a free one',
    });
  });

  it('but does behind a proxy that has TLS, if it is told', async () => {
    const { url } = await start({ listen: '0.0.0.0:0', tokenFile: TOKEN_FILE, insecureHttpBehindProxy: true });
    const place = `${url.replace('0.0.0.0', '127.0.0.1')}/help`;
    expect((await get(place)).status).toBe(401);
    expect((await get(place, { authorization: `Bearer ${TOKEN}`, host: 'fleet.example.com' })).status).toBe(200);
  });
});

describe('limits', () => {
  it.each([
    { what: 'a long address', path: `/clusters?q=${'a'.repeat(5_000)}`, headers: {}, status: 414 },
    { what: 'long headers', path: '/', headers: { 'x-long': 'a'.repeat(20_000) }, status: 431 },
  ])('$what is answered $status', async ({ path, headers, status }) => {
    const { url } = await start({});
    expect((await get(url + path, headers)).status).toBe(status);
  });
});
