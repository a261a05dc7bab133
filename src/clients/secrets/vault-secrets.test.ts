import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeVault, JWT, KUBE_ROLE, ROLE_ID, SECRET_ID } from '../../../test/support/fake-vault.ts';
import { refusal, SECRET } from '../../../test/support/vault-refusal.ts';
import { defined } from '../../base/index.ts';
import { secretField } from './index.ts';
import type { SecretReader } from './secret-reader.ts';
import type { VaultAuth } from './vault-client.ts';
import { type VaultSecretsOptions, vaultSecrets } from './vault-secrets.ts';

const TOKEN = `hvs.${SECRET}`;
const APPROLE: VaultAuth = { kind: 'approle', roleId: ROLE_ID, secretId: SECRET_ID };
const REF = { path: 'kv/app/creds', field: 'token' };

let vault: FakeVault;
let waits: number[];
let time: number;
let folder: string;

beforeEach(async () => {
  [vault, waits, time] = [new FakeVault(), [], 0];
  folder = mkdtempSync(join(tmpdir(), 'echelon-vault-'));
  vault.tokens.add(TOKEN);
  vault.mounts['kv'] = {
    version: 2,
    secrets: { 'app/creds': [{ token: `${SECRET}-old` }, { token: `${SECRET}-new` }] },
  };
  vault.mounts['old'] = { version: 1, secrets: { 'app/creds': [{ token: `${SECRET}-v1` }] } };
  await vault.start();
});

afterEach(async () => {
  await vault.stop();
  rmSync(folder, { recursive: true, force: true });
});

function reader(options: Partial<VaultSecretsOptions> = {}): SecretReader {
  const sleep = async (milliseconds: number): Promise<void> => {
    waits.push(milliseconds);
  };
  return vaultSecrets({
    env: {},
    server: vault.address,
    auth: { kind: 'token', token: TOKEN },
    clock: { now: () => new Date(time), sleep },
    ...options,
  });
}

function kubernetes(text: string, mount?: string): VaultAuth {
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, text);
  return { kind: 'kubernetes', role: KUBE_ROLE, tokenFile, ...defined({ mount }) };
}

describe('a secret of Vault', () => {
  it.each([
    { given: 'version 2, newest', path: 'kv/app/creds', value: `${SECRET}-new`, asked: 'kv/data/app/creds' },
    {
      given: 'version 2, an older one',
      path: 'kv/app/creds',
      version: 1,
      value: `${SECRET}-old`,
      asked: 'kv/data/app/creds?version=1',
    },
    { given: 'version 1', path: 'old/app/creds', value: `${SECRET}-v1`, asked: 'old/app/creds' },
    {
      given: 'version 1, which has no versions',
      path: 'old/app/creds',
      version: 7,
      value: `${SECRET}-v1`,
      asked: 'old/app/creds',
    },
  ])('in an engine of $given', async ({ path, version, value, asked }) => {
    const ref = { path, field: 'token', ...defined({ version }) };
    expect(await secretField(reader(), ref)).toBe(value);
    expect(vault.asked).toEqual([`sys/internal/ui/mounts/${path.split('/')[0]}`, asked]);
  });

  it.each([
    { given: 'may not be asked', status: 403 },
    { given: 'cannot be asked', status: 404 },
  ])('is found in an engine of either version when the mount $given', async ({ status }) => {
    vault.mountsStatus = status;
    const from = reader();
    expect(await secretField(from, REF)).toBe(`${SECRET}-new`);
    expect(await secretField(from, { path: 'old/app/creds', field: 'token' })).toBe(`${SECRET}-v1`);
    expect(vault.asked.filter((path) => !path.startsWith('sys/'))).toEqual([
      'kv/data/app/creds',
      'old/data/app/creds',
      'old/app/creds',
    ]);
  });

  it('of version 1 is found when only its own address is allowed', async () => {
    vault.mountsStatus = 403;
    vault.forbidden.add('old/data/app/creds');
    expect(await secretField(reader(), { path: 'old/app/creds', field: 'token' })).toBe(`${SECRET}-v1`);
  });

  it('of version 1 is found beside one whose path looks like version 2', async () => {
    vault.mountsStatus = 404;
    vault.mounts['old'] = { version: 1, secrets: { app: [{ token: '1' }], 'data/app': [{ token: '2' }] } };
    expect(await secretField(reader(), { path: 'old/app', field: 'token' })).toBe('1');
  });

  it('keeps its names, whatever is in them', async () => {
    vault.mounts['kv'] = { version: 2, secrets: { 'a b/c?version=1#ü%2f': [{ token: SECRET }] } };
    expect(await secretField(reader(), { path: 'kv/a b/c?version=1#ü%2f', field: 'token' })).toBe(SECRET);
    expect(vault.asked.at(-1)).toBe('kv/data/a%20b/c%3Fversion%3D1%23%C3%BC%252f');
  });

  it('has all of its fields as text', async () => {
    vault.mounts['kv'] = { version: 2, secrets: { x: [{ a: 's', n: 1, t: true, o: { k: [1] }, z: null, e: '' }] } };
    const fields = await reader().read({ path: 'kv/x', field: 'all' });
    expect(Object.fromEntries(fields)).toEqual({ a: 's', n: '1', t: 'true', o: '{"k":[1]}', e: '' });
  });

  it('is asked for in the namespace', async () => {
    await reader({ namespace: 'team/one' }).read(REF);
    expect(vault.seen.map(({ namespace }) => namespace)).toEqual(['team/one', 'team/one']);
  });

  it.each(['/', '/v1', '/v1/'])('is asked for at an address that ends in %s', async (end) => {
    const from = reader({ server: `${vault.address}${end}` });
    await from.read(REF);
    expect(from.name).toBe(vault.address);
  });
});

describe('a secret that Vault does not have', () => {
  it.each([
    { given: 'no secret', ref: { ...REF, path: 'kv/other' }, hint: 'write it to Vault' },
    { given: 'no secret, version 1', ref: { ...REF, path: 'old/other' }, hint: 'write it to Vault' },
    { given: 'no version', ref: { ...REF, version: 9 }, hint: 'write it to Vault' },
    { given: 'a deleted version', ref: { ...REF, path: 'kv/gone' }, hint: 'undelete' },
    { given: 'no field', ref: { ...REF, field: 'tokn' }, hint: 'did you mean token?' },
    { given: 'only a mount', ref: { ...REF, path: 'kv' }, hint: 'mount of the engine' },
  ])('is told: $given', async ({ ref, hint }) => {
    vault.mounts['kv']!.secrets['gone'] = [{ token: SECRET }, null];
    const error = await refusal(() => secretField(reader(), ref));
    const version = 'version' in ref ? `, version ${ref.version}` : '';
    expect(error).toMatchObject({
      code: 'SECRET_NOT_FOUND',
      message: `the secret ${ref.path}${version}, field ${ref.field}, is not in ${vault.address}`,
      hint: expect.stringContaining(hint),
    });
  });

  it.each([
    { given: 'neither address', path: 'kv/other', forbidden: '', hint: 'write it to Vault' },
    { given: 'the one of version 1', path: 'kv/other', forbidden: 'kv/other', hint: 'write it to Vault' },
    { given: 'the one of version 2', path: 'old/other', forbidden: 'old/data/other', hint: 'write it to Vault' },
    { given: 'the one of version 1, and it was deleted', path: 'kv/gone', forbidden: 'kv/gone', hint: 'undelete' },
  ])('is told when the mount may not be asked, nor $given', async ({ path, forbidden, hint }) => {
    vault.mounts['kv']!.secrets['gone'] = [null];
    vault.mountsStatus = 403;
    vault.forbidden.add(forbidden);
    expect(await refusal(() => reader().read({ path, field: 'x' }))).toMatchObject({
      code: 'SECRET_NOT_FOUND',
      hint: expect.stringContaining(hint),
    });
  });

  it('is not asked for when its path is only a mount', async () => {
    expect(await refusal(() => reader().read({ path: 'kv', field: 'x' }))).toMatchObject({ code: 'SECRET_NOT_FOUND' });
    expect(vault.seen).toEqual([]);
  });

  it.each([
    { given: 'version 1', options: null, body: { data: SECRET } },
    { given: 'version 2', options: { version: '2' }, body: { data: { token: SECRET } } },
  ])('is told when its answer is none of $given', async ({ options, body }) => {
    vault.faults.push({ status: 200, body: { data: { type: 'kv', options } } }, { status: 200, body });
    expect(await refusal(() => reader().read(REF))).toMatchObject({
      code: 'VAULT_ANSWER_INVALID',
      message: `${vault.address} is not a Vault: the secret kv/app/creds has no fields`,
    });
  });

  it('is told when it is refused for another reason', async () => {
    vault.faults.push({ status: 404 }, { status: 405 });
    expect(await refusal(() => reader().read(REF))).toMatchObject({
      code: 'VAULT_ANSWER_INVALID',
      message: `${vault.address} is not a Vault: status 405 for the secret kv/app/creds`,
    });
  });

  it.each(['kv/../sys/health', 'kv/./x', '/kv/x'])('%s is never asked for', async (path) => {
    expect(await refusal(() => reader().read({ path, field: 'x' }))).toMatchObject({ code: 'SECRET_PATH_INVALID' });
    expect(vault.seen).toEqual([]);
  });

  it('is found as soon as it is there', async () => {
    const from = reader();
    const ref = { path: 'kv/late', field: 'token' };
    await refusal(() => from.read(ref));
    vault.mounts['kv']!.secrets['late'] = [{ token: SECRET }];
    expect(await secretField(from, ref)).toBe(SECRET);
  });

  it('is found as soon as its engine was upgraded', async () => {
    const from = reader();
    await from.read({ path: 'old/app/creds', field: 'token' });
    vault.mounts['old'] = { version: 2, secrets: { 'app/more': [{ token: SECRET }] } };
    const ref = { path: 'old/app/more', field: 'token' };
    await refusal(() => from.read(ref));
    expect(await secretField(from, ref)).toBe(SECRET);
  });
});

describe('what was read', () => {
  it('is kept for a minute, for each version', async () => {
    const from = reader();
    const count = (): number => vault.asked.filter((path) => path.startsWith('kv/')).length;
    await from.read(REF);
    time = 59_999;
    await from.read({ ...REF, field: 'other' });
    expect(count()).toBe(1);
    await from.read({ ...REF, version: 1 });
    expect(count()).toBe(2);
    time = 60_000;
    vault.mounts['kv']!.secrets['app/creds'] = [{ token: 'changed' }];
    expect(await secretField(from, REF)).toBe('changed');
    expect(count()).toBe(3);
  });

  it('is read once by many at the same time', async () => {
    const from = reader({ auth: APPROLE });
    await Promise.all(Array.from({ length: 50 }, () => from.read(REF)));
    expect(vault.seen).toHaveLength(3);
  });

  it('is never asked for by more than ten requests at a time', async () => {
    const names = Array.from({ length: 60 }, (_, n) => `s${n}`);
    vault.mounts['kv'] = { version: 2, secrets: Object.fromEntries(names.map((name) => [name, [{ token: name }]])) };
    const from = reader();
    for (const version of [1, 0]) {
      const refs = names.map((name) => ({ path: `kv/${name}`, field: 'token', version }));
      expect(await Promise.all(refs.map((ref) => secretField(from, ref)))).toEqual(names);
    }
    expect(vault.mostAtOnce).toBe(10);
    expect(vault.asked.filter((path) => path.startsWith('sys/'))).toHaveLength(1);
  });

  it('is kept for the last thousand secrets', async () => {
    const names = Array.from({ length: 1001 }, (_, n) => `s${n}`);
    vault.mounts['old'] = { version: 1, secrets: Object.fromEntries(names.map((name) => [name, [{ token: SECRET }]])) };
    const from = reader();
    const read = (n: number): Promise<unknown> => from.read({ path: `old/s${n}`, field: 'token' });
    for (let n = 0; n <= 1000; n += 1) await read(n);
    vault.seen.length = 0;
    for (const n of [1, 2, 1000, 0]) await read(n);
    expect(vault.asked).toEqual(['old/s0']);
  });

  it('is told for redaction, and so is what it was read with', async () => {
    vault.mounts['kv'] = { version: 2, secrets: { x: [{ a: 'dHdv', b: SECRET, e: '' }] } };
    for (const { auth, told } of [
      { auth: { kind: 'token', token: TOKEN } as const, told: [TOKEN] },
      { auth: APPROLE, told: [ROLE_ID, SECRET_ID, `${TOKEN}-1`] },
      { auth: kubernetes(JWT), told: [JWT, `${TOKEN}-2`] },
    ]) {
      const heard: string[] = [];
      await secretField(reader({ auth, onSecret: (value) => heard.push(value) }), {
        path: 'kv/x',
        field: 'a',
        format: 'base64',
      });
      expect(heard).toEqual([...told, 'dHdv', SECRET, 'two']);
    }
  });
});

describe('a login', () => {
  it.each([
    { given: 'AppRole', auth: () => APPROLE, url: 'auth/approle/login' },
    { given: 'Kubernetes', auth: () => kubernetes(`${JWT}\n`), url: 'auth/kubernetes/login' },
    {
      given: 'Kubernetes at another mount',
      auth: () => kubernetes(JWT, '/clusters/one/'),
      url: 'auth/clusters/one/login',
    },
  ])('by $given happens once', async ({ auth, url }) => {
    const from = reader({ auth: auth() });
    expect(await secretField(from, REF)).toBe(`${SECRET}-new`);
    expect(await secretField(from, { path: 'old/app/creds', field: 'token' })).toBe(`${SECRET}-v1`);
    expect(vault.logins).toMatchObject([{ url: `/v1/${url}`, token: undefined }]);
  });

  it('does not happen before the first read', () => {
    reader({ auth: APPROLE });
    expect(vault.seen).toEqual([]);
  });

  it.each([
    { given: 'an hour', leaseSeconds: 3600, after: 2_879_999, logins: 1 },
    { given: 'an hour, near its end', leaseSeconds: 3600, after: 2_880_000, logins: 2 },
    { given: 'no end', leaseSeconds: 0, after: 1e12, logins: 1 },
  ])('with a lease of $given is renewed before it ends', async ({ leaseSeconds, after, logins }) => {
    vault.leaseSeconds = leaseSeconds;
    const from = reader({ auth: APPROLE });
    await from.read(REF);
    time = after;
    await from.read(REF);
    expect(vault.logins).toHaveLength(logins);
  });

  it('happens again, once, when the token was revoked', async () => {
    const from = reader({ auth: APPROLE });
    await from.read(REF);
    vault.tokens.clear();
    const paths = ['kv/app/creds', 'old/app/creds'];
    const refs = paths.flatMap((path) => [
      { path, field: 'token', version: 1 },
      { path, field: 'token', version: 2 },
    ]);
    await Promise.all(refs.map((ref) => from.read(ref)));
    expect(vault.logins).toHaveLength(2);
  });

  it('happens as often as the token was revoked', async () => {
    const from = reader({ auth: APPROLE });
    for (const version of [0, 1, 2]) {
      await from.read({ ...REF, version });
      vault.tokens.clear();
    }
    expect(vault.logins).toHaveLength(3);
  });

  it('with a new token of the service account happens when the token was revoked', async () => {
    const from = reader({ auth: kubernetes(`wrong-${SECRET}`) });
    expect(await refusal(() => from.read(REF))).toMatchObject({ code: 'VAULT_LOGIN_REFUSED' });
    kubernetes(JWT);
    expect(await secretField(from, REF)).toBe(`${SECRET}-new`);
  });

  it('that does not help is not tried for every secret', async () => {
    for (const path of ['kv/data/a', 'kv/data/b', 'kv/data/c']) vault.forbidden.add(path);
    const from = reader({ auth: APPROLE });
    for (const path of ['kv/a', 'kv/b', 'kv/c']) await refusal(() => from.read({ path, field: 'x' }));
    expect(vault.logins).toHaveLength(2);
    time = 60_000;
    await refusal(() => from.read({ path: 'kv/a', field: 'x' }));
    expect(vault.logins).toHaveLength(3);
  });

  it.each([
    {
      given: 'AppRole',
      auth: () => ({ ...APPROLE, secretId: `wrong-${SECRET}` }) as VaultAuth,
      mount: 'approle',
      hint: 'secret_id',
    },
    { given: 'Kubernetes', auth: () => kubernetes(`wrong-${SECRET}`), mount: 'kubernetes', hint: 'kube_auth_role' },
  ])('by $given that is refused is told', async ({ auth, mount, hint }) => {
    expect(await refusal(() => reader({ auth: auth() }).read(REF))).toMatchObject({
      code: 'VAULT_LOGIN_REFUSED',
      message: `${vault.address} returned 400 for a login at auth/${mount}`,
      hint: expect.stringContaining(hint),
    });
    expect(vault.seen).toHaveLength(1);
  });

  it.each([
    { given: 'absent', text: undefined, says: (file: string) => `cannot read ${file}: ENOENT` },
    { given: 'empty', text: ' \n', says: (file: string) => `${file} is empty` },
  ])('by a token file that is $given is told', async ({ text, says }) => {
    const auth = kubernetes(text ?? '');
    if (text === undefined) rmSync(join(folder, 'token'));
    expect(await refusal(() => reader({ auth }).read(REF))).toMatchObject({
      code: 'VAULT_AUTH_MISSING',
      message: `the service account token for Vault: ${says(join(folder, 'token'))}`,
      hint: expect.stringContaining('KUBE_SA_TOKEN_PATH'),
    });
    expect(vault.seen).toEqual([]);
  });

  it('without a token in its answer is told', async () => {
    vault.faults.push({ status: 200, body: { auth: { token: SECRET } } });
    expect(await refusal(() => reader({ auth: APPROLE }).read(REF))).toMatchObject({ code: 'VAULT_ANSWER_INVALID' });
  });

  it('that was refused is tried again by the next read', async () => {
    vault.faults.push({ status: 400 });
    const from = reader({ auth: APPROLE });
    await refusal(() => from.read(REF));
    expect(await secretField(from, REF)).toBe(`${SECRET}-new`);
  });
});

describe('a token that may not read', () => {
  it.each([
    {
      given: 'a given token that was revoked',
      auth: { kind: 'token', token: `${TOKEN}-revoked` } as VaultAuth,
      mounts: 200,
    },
    { given: 'no right to the secret', auth: APPROLE, mounts: 200 },
    { given: 'no right to the secret nor the mount', auth: APPROLE, mounts: 403 },
  ])('is told: $given', async ({ auth, mounts }) => {
    vault.mountsStatus = mounts;
    for (const path of ['kv/data/app/creds', 'kv/app/creds']) vault.forbidden.add(path);
    expect(await refusal(() => reader({ auth }).read(REF))).toMatchObject({
      code: 'VAULT_FORBIDDEN',
      message: `${vault.address} denies this token access to the secret kv/app/creds`,
      hint: expect.stringContaining('read on kv/data/app/creds'),
    });
  });

  it('is not tried twice when there is no other', async () => {
    vault.tokens.clear();
    await refusal(() => reader().read(REF));
    expect(vault.asked).toEqual(['sys/internal/ui/mounts/kv', 'kv/data/app/creds', 'kv/app/creds']);
  });
});
