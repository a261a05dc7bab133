import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeVault, type Fault } from '../../../test/support/fake-vault.ts';
import { startForwardProxy, trustTestAuthority } from '../../../test/support/forward-proxy.ts';
import { neverAnswer, plain, startLocalHttp } from '../../../test/support/local-http.ts';
import { startLocalHttps } from '../../../test/support/local-https.ts';
import { refusal, SECRET } from '../../../test/support/vault-refusal.ts';
import { type VaultHttp, type VaultHttpOptions, vaultHttp } from './vault-client.ts';

const TOKEN = `hvs.${SECRET}`;
const REQUEST = { path: 'old/x', token: TOKEN };
const FOUND = { status: 200, body: { lease_duration: 2764800, data: { token: SECRET } } };

let vault: FakeVault;
let waits: number[];

beforeEach(async () => {
  [vault, waits] = [new FakeVault(), []];
  vault.tokens.add(TOKEN);
  vault.mounts['old'] = { version: 1, secrets: { x: [{ token: SECRET }] } };
  await vault.start();
});

afterEach(() => vault.stop());

function http(options: Partial<VaultHttpOptions> = {}): VaultHttp {
  const sleep = async (milliseconds: number): Promise<void> => {
    waits.push(milliseconds);
  };
  const clock = { now: () => new Date(), sleep };
  return vaultHttp({ env: {}, server: vault.address, clock, random: () => 0, ...options });
}

const sealed: Fault = { status: 503, body: JSON.stringify({ errors: ['Vault is sealed'] }) };

describe('a Vault that fails for a while', () => {
  it.each<{ given: string; fault: Fault }>([
    { given: '429', fault: { status: 429 } },
    { given: '412', fault: { status: 412 } },
    { given: '500', fault: { status: 500 } },
    { given: '502 in HTML', fault: { status: 502, body: `<html>${SECRET}</html>` } },
    { given: '503, sealed', fault: sealed },
    { given: 'a closed connection', fault: 'reset' },
  ])('with $given is asked again', async ({ fault }) => {
    vault.faults.push(fault, fault, fault, fault);
    expect(await http().call(REQUEST)).toEqual(FOUND);
    expect(vault.asked).toEqual(Array(5).fill('old/x'));
    expect(waits).toHaveLength(4);
    expect(waits.every((wait, index) => wait >= 0 && wait <= 500 * 2 ** index)).toBe(true);
  });

  it.each([
    { given: 'waits as long as it asks for', after: '3', wait: 3000 },
    { given: 'never waits longer than five seconds', after: '3600', wait: 5000 },
  ])('$given', async ({ after, wait }) => {
    vault.faults.push({ status: 429, headers: { 'retry-after': after } });
    await http().call(REQUEST);
    expect(waits).toEqual([wait]);
  });

  it('may ask for a time that is none', async () => {
    vault.faults.push({ status: 429, headers: { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' } });
    expect(await http().call(REQUEST)).toEqual(FOUND);
    expect(waits[0]).toBeLessThanOrEqual(500);
  });

  it.each<{ given: string; fault: Fault; code: string; says: string }>([
    {
      given: '429',
      fault: { status: 429 },
      code: 'VAULT_UNREACHABLE',
      says: ': no response after 5 attempts: status 429',
    },
    {
      given: '500',
      fault: { status: 500 },
      code: 'VAULT_UNREACHABLE',
      says: ': no response after 5 attempts: status 500',
    },
    {
      given: '503',
      fault: { status: 503 },
      code: 'VAULT_UNREACHABLE',
      says: ': no response after 5 attempts: status 503',
    },
    { given: '503, sealed', fault: sealed, code: 'VAULT_SEALED', says: ' is sealed' },
    {
      given: 'a closed connection',
      fault: 'reset',
      code: 'VAULT_UNREACHABLE',
      says: ': no response after 5 attempts: ECONNRESET',
    },
  ])('and goes on with $given is given up', async ({ fault, code, says }) => {
    for (const request of [REQUEST, { path: 'auth/approle/login', body: { secret_id: SECRET } }]) {
      vault.seen.length = 0;
      vault.faults.push(...Array<Fault>(5).fill(fault));
      expect(await refusal(() => http().call(request))).toMatchObject({ code, message: `${vault.address}${says}` });
      expect(vault.seen).toHaveLength(5);
    }
  });

  it('that is not there is told', async () => {
    const gone = new FakeVault();
    await gone.start();
    const server = gone.address;
    await gone.stop();
    expect(await refusal(() => http({ server }).call(REQUEST))).toMatchObject({
      code: 'VAULT_UNREACHABLE',
      message: `${server}: no response after 5 attempts: ECONNREFUSED`,
    });
  });

  it('that is too slow is told, after the time limit of each attempt', async () => {
    const slow = await startLocalHttp(neverAnswer);
    expect(await refusal(() => http({ server: slow.url, timeoutMs: 10 }).call(REQUEST))).toMatchObject({
      code: 'VAULT_UNREACHABLE',
      message: `${slow.url}: no response after 5 attempts: TimeoutError`,
    });
    await slow.close();
  });
});

describe('an answer', () => {
  it.each([400, 403, 404, 405, 473])('of status %i is not asked for again', async (status) => {
    vault.faults.push({ status, body: '{}' });
    expect(await http().call(REQUEST)).toEqual({ status, body: {} });
    expect(vault.seen).toHaveLength(1);
  });

  it('without a body is empty', async () => {
    vault.faults.push({ status: 204, body: '' });
    expect(await http().call(REQUEST)).toEqual({ status: 204, body: {} });
  });

  it.each([
    { given: 'HTML', body: `<html>${SECRET}</html>` },
    { given: 'half of it', body: `{"data":"${SECRET}` },
    { given: 'a list', body: `["${SECRET}"]` },
    { given: 'null', body: 'null' },
  ])('that is $given is told', async ({ body }) => {
    for (const status of [200, 403, 404]) {
      vault.faults.push({ status, body });
      expect(await refusal(() => http().call(REQUEST))).toMatchObject({
        code: 'VAULT_ANSWER_INVALID',
        message: `${vault.address} is not a Vault: its response with status ${status} is not a JSON object`,
      });
    }
  });

  it('of more than four mebibytes is told', async () => {
    vault.faults.push({ status: 200, body: JSON.stringify({ data: SECRET.repeat(700_000) }) });
    expect(await refusal(() => http().call(REQUEST))).toMatchObject({
      code: 'VAULT_ANSWER_INVALID',
      message: `${vault.address}: response larger than 4.0 MiB`,
    });
    expect(vault.seen).toHaveLength(1);
  });
});

describe('a redirect', () => {
  it.each([301, 302, 307, 308])('of a standby (%i) is followed with the whole request', async (status) => {
    const standby = new FakeVault();
    await standby.start();
    const login = { path: 'auth/approle/login', body: { role_id: 'a', secret_id: SECRET } };
    for (const request of [REQUEST, login]) {
      standby.faults.push({ status, headers: { location: `${vault.address}/v1/${request.path}` } });
      await http({ server: standby.address }).call(request);
    }
    await standby.stop();
    expect(vault.seen).toMatchObject([
      { method: 'GET', url: '/v1/old/x', token: TOKEN },
      { method: 'POST', url: '/v1/auth/approle/login', body: JSON.stringify(login.body) },
    ]);
  });

  it('is followed once', async () => {
    const fault = { status: 307, body: '', headers: { location: '/v1/old/x' } };
    vault.faults.push(fault, fault);
    expect(await http().call(REQUEST)).toEqual({ status: 307, body: {} });
    expect(vault.seen).toHaveLength(2);
  });

  it.each([
    { given: 'plain text', location: 'http://kube.test/v1/x' },
    { given: 'another scheme', location: 'ftp://kube.test/v1/x' },
    { given: 'another host', location: 'https://other.example.com/v1/x' },
    { given: 'credentials', location: `https://a:${SECRET}@example.com/v1/x` },
  ])('to $given is not followed', async ({ location }) => {
    const distrust = trustTestAuthority();
    const secure = await startLocalHttps(plain(307, '', { location }));
    const proxy = await startForwardProxy();
    const server = `https://kube.test:${new URL(secure.url).port}`;
    const env = { HTTPS_PROXY: `http://${proxy.host}` };
    expect(await refusal(() => http({ server, env }).call(REQUEST))).toMatchObject({
      code: 'VAULT_REDIRECT',
      message: expect.stringContaining(server),
    });
    expect([secure.clients.length, proxy.asked.length]).toEqual([1, 1]);
    await Promise.all([secure.close(), proxy.close()]);
    distrust();
  });
});

describe('what cannot be sent', () => {
  it.each([
    '',
    'vault.example.com',
    'ftp://vault',
    `https://a:${SECRET}@vault`,
    `https://${SECRET}@vault`,
    'http://[::1',
  ])('to the address %j is told', async (server) => {
    expect(await refusal(() => http({ server }))).toMatchObject({
      code: 'VAULT_URL_INVALID',
      hint: expect.stringContaining('VAULT_ADDR'),
    });
  });

  it('in clear text to another machine is not sent', async () => {
    expect(await refusal(() => http({ server: 'http://vault.example.com' }))).toMatchObject({
      code: 'VAULT_INSECURE',
      message: expect.stringContaining('http://vault.example.com'),
    });
  });

  it.each([
    {
      given: 'the token',
      options: {},
      request: { path: 'x', token: `${SECRET}\nx` },
      says: 'the token for Vault contains',
    },
    { given: 'an empty token', options: {}, request: { path: 'x', token: '' }, says: 'the token for Vault contains' },
    {
      given: 'the namespace',
      options: { namespace: `${SECRET} ☃` },
      request: REQUEST,
      says: 'VAULT_NAMESPACE contains',
    },
  ])('as $given is told', async ({ options, request, says }) => {
    expect(await refusal(() => http(options).call(request))).toMatchObject({
      code: 'VAULT_TOKEN_INVALID',
      message: expect.stringContaining(says),
    });
    expect(vault.seen).toEqual([]);
  });
});
