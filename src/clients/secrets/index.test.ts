import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeVault, JWT, KUBE_ROLE, ROLE_ID, SECRET_ID } from '../../../test/support/fake-vault.ts';
import { refusal, SECRET } from '../../../test/support/vault-refusal.ts';
import { EchelonError } from '../../base/index.ts';
import { firstOf, type OpenSecretsOptions, openSecrets, secretField } from './index.ts';
import { tomlSecrets } from './local-secrets.ts';
import type { SecretReader } from './secret-reader.ts';

const REF = { path: 'kv/app', field: 'token' };
const TOKEN = `hvs.${SECRET}`;
const IN_FILE = { kv: { app: { token: 'file' } } };
const APPROLE = { role_id: ROLE_ID, secret_id: SECRET_ID };

let vault: FakeVault;
let folder: string;

beforeEach(async () => {
  vault = new FakeVault();
  vault.tokens.add(TOKEN);
  vault.mounts['kv'] = { version: 2, secrets: { app: [{ token: 'vault' }] } };
  await vault.start();
  folder = mkdtempSync(join(tmpdir(), 'echelon-secrets-'));
  mkdirSync(join(folder, 'kv', 'app'), { recursive: true });
  writeFileSync(join(folder, 'kv', 'app', 'token'), 'folder\n');
  writeFileSync(join(folder, 'jwt'), JWT);
});

afterEach(async () => {
  await vault.stop();
  rmSync(folder, { recursive: true, force: true });
});

function open(options: Partial<OpenSecretsOptions>): ReturnType<typeof openSecrets> {
  return openSecrets({ env: {}, config: {}, ...options });
}

describe('where secrets are looked for', () => {
  it.each<{ given: string; options: () => Partial<OpenSecretsOptions>; names: () => string[]; value: string }>([
    {
      given: 'a folder named by a flag',
      options: () => ({ folder, env: { ECHELON_SECRETS_DIR: '/elsewhere' }, config: IN_FILE }),
      names: () => [folder, 'config.toml'],
      value: 'folder',
    },
    {
      given: 'a folder named by the environment',
      options: () => ({ env: { ECHELON_SECRETS_DIR: folder, VAULT_ADDR: vault.address, VAULT_TOKEN: TOKEN } }),
      names: () => [folder, 'config.toml', vault.address],
      value: 'folder',
    },
    {
      given: 'a folder before Vault',
      options: () => ({ folder, config: { vault: { server: vault.address, ...APPROLE } } }),
      names: () => [folder, vault.address],
      value: 'folder',
    },
    { given: 'no [vault]', options: () => ({ config: IN_FILE }), names: () => ['config.toml'], value: 'file' },
    {
      given: 'vault: false',
      options: () => ({ config: { ...IN_FILE, vault: { server: vault.address, ...APPROLE } }, settingsVault: false }),
      names: () => ['config.toml'],
      value: 'file',
    },
    {
      given: 'vault: false and VAULT_ADDR',
      options: () => ({
        config: IN_FILE,
        env: { VAULT_ADDR: vault.address, VAULT_TOKEN: TOKEN },
        settingsVault: false,
      }),
      names: () => ['config.toml'],
      value: 'file',
    },
    {
      given: '[vault] and no settings',
      options: () => ({ config: { ...IN_FILE, vault: { server: vault.address, ...APPROLE } } }),
      names: () => [vault.address],
      value: 'vault',
    },
    {
      given: '[vault] and vault: true',
      options: () => ({ config: { ...IN_FILE, vault: { server: vault.address, ...APPROLE } }, settingsVault: true }),
      names: () => [vault.address],
      value: 'vault',
    },
    {
      given: 'VAULT_ADDR without config.toml',
      options: () => ({ env: { VAULT_ADDR: vault.address, VAULT_TOKEN: `${TOKEN}\n` }, settingsVault: true }),
      names: () => ['config.toml', vault.address],
      value: 'vault',
    },
    {
      given: 'empty variables',
      options: () => ({
        env: { VAULT_ADDR: '', ECHELON_SECRETS_DIR: '', VAULT_TOKEN: '' },
        folder: '',
        config: IN_FILE,
      }),
      names: () => ['config.toml'],
      value: 'file',
    },
  ])('with $given', async ({ options, names, value }) => {
    const reader = open(options());
    expect(reader.name).toBe(names().join(', '));
    expect(await secretField(reader, REF)).toBe(value);
  });

  it('are all named when none has it', async () => {
    const reader = open({ folder, config: { vault: { server: vault.address, ...APPROLE } } });
    expect(await refusal(() => secretField(reader, { path: 'kv/other', field: 'x' }))).toMatchObject({
      code: 'SECRET_NOT_FOUND',
      message: `the secret kv/other, field x, is not in ${folder}, ${vault.address}`,
    });
  });

  it('tell what they find', async () => {
    const told: string[] = [];
    const onSecret = (value: string): number => told.push(value);
    await secretField(open({ folder, onSecret }), REF);
    await secretField(open({ config: IN_FILE, onSecret }), REF);
    await secretField(open({ env: { VAULT_ADDR: vault.address, VAULT_TOKEN: TOKEN }, onSecret }), REF);
    expect(told).toEqual(['folder', 'file', TOKEN, 'vault']);
  });
});

describe('how Vault is logged in to', () => {
  it.each<{
    given: string;
    section: () => Record<string, string>;
    env?: Record<string, string>;
    login: string | undefined;
  }>([
    { given: 'VAULT_TOKEN before the file', section: () => APPROLE, env: { VAULT_TOKEN: TOKEN }, login: undefined },
    { given: 'an AppRole', section: () => APPROLE, login: '/v1/auth/approle/login' },
    { given: 'Kubernetes', section: () => ({ kube_auth_role: KUBE_ROLE }), login: '/v1/auth/kubernetes/login' },
    {
      given: 'Kubernetes at a mount, before an AppRole',
      section: () => ({ ...APPROLE, kube_auth_role: KUBE_ROLE, kube_auth_mount: 'clusters/one' }),
      login: '/v1/auth/clusters/one/login',
    },
  ])('is by $given', async ({ section, env, login }) => {
    const reader = open({
      env: { KUBE_SA_TOKEN_PATH: join(folder, 'jwt'), VAULT_NAMESPACE: 'team', ...env },
      config: { vault: { server: vault.address, ...section() } },
    });
    expect(await secretField(reader, REF)).toBe('vault');
    expect(vault.logins.map(({ url }) => url)).toEqual(login === undefined ? [] : [login]);
    expect(new Set(vault.seen.map(({ namespace }) => namespace))).toEqual(new Set(['team']));
  });

  it('is by the file at VAULT_ADDR when the file names no server', async () => {
    const reader = open({ env: { VAULT_ADDR: vault.address }, config: { vault: APPROLE } });
    expect(await secretField(reader, REF)).toBe('vault');
  });

  it('is never by credentials of the file at another server', async () => {
    const options = {
      env: { VAULT_ADDR: vault.address },
      config: { vault: { server: 'https://vault.example.com', ...APPROLE } },
    };
    expect(await refusal(() => open(options))).toMatchObject({ code: 'VAULT_AUTH_MISSING' });
    expect(vault.seen).toEqual([]);
  });

  it.each([
    {},
    { role_id: ROLE_ID },
    { secret_id: SECRET_ID },
    { role_id: ROLE_ID, secret_id: '' },
    { kube_auth_mount: 'x' },
  ])('is told to be missing (%#)', async (section) => {
    expect(await refusal(() => open({ config: { vault: { server: vault.address, ...section } } }))).toMatchObject({
      code: 'VAULT_AUTH_MISSING',
      hint: expect.stringContaining('VAULT_TOKEN'),
    });
  });
});

describe('a config.toml that cannot be meant', () => {
  it.each([
    { vault: SECRET, message: 'vault of config.toml is not a table' },
    {
      vault: { server: 'https://vault', secret_id: [SECRET] },
      message: 'secret_id of [vault] in config.toml is not text',
    },
    { vault: { ...APPROLE }, message: '[vault] of config.toml has no server' },
  ])('is told: $message', async ({ vault: section, message }) => {
    expect(await refusal(() => open({ config: { vault: section } }))).toMatchObject({
      code: 'CONFIG_INVALID',
      message,
    });
  });
});

const WANTED = { path: 'app', field: 'token' };

function named(name: string, config: Readonly<Record<string, unknown>>): SecretReader {
  return { ...tomlSecrets(config), name };
}

const NOTHING = named('nothing', {});
const OTHER_FIELD = named('other field', { app: { user: 'me' } });
const FIRST = named('first', { app: { token: 'first' } });
const SECOND = named('second', { app: { token: 'second', user: 'you' } });
const BROKEN: SecretReader = {
  name: 'broken',
  read: async () => {
    throw new EchelonError({ code: 'VAULT_SEALED', message: 'sealed', hint: 'wait' });
  },
};

describe('several readers', () => {
  it.each([
    { given: 'the first has it', readers: [FIRST, SECOND], value: 'first' },
    { given: 'only the second has the secret', readers: [NOTHING, SECOND], value: 'second' },
    { given: 'only the second has the field', readers: [OTHER_FIELD, SECOND], value: 'second' },
    { given: 'the first has it and the second is broken', readers: [FIRST, BROKEN], value: 'first' },
  ])('when $given', async ({ readers, value }) => {
    expect(await secretField(firstOf(readers), WANTED)).toBe(value);
  });

  it('of which none has the field give the first secret', async () => {
    const fields = await firstOf([NOTHING, OTHER_FIELD, SECOND]).read({ path: 'app', field: 'all' });
    expect(Object.fromEntries(fields)).toEqual({ user: 'me' });
  });

  it('are all named when none has the secret', async () => {
    const error = await refusal(() => secretField(firstOf([NOTHING, named('else', { b: { token: SECRET } })]), WANTED));
    expect(error).toMatchObject({
      code: 'SECRET_NOT_FOUND',
      message: 'the secret app, field token, is not in nothing, else',
      hint: expect.stringContaining('add it to the table [app]'),
    });
  });

  it('are all named when none has the field', async () => {
    expect(await refusal(() => secretField(firstOf([NOTHING, OTHER_FIELD]), WANTED))).toMatchObject({
      code: 'SECRET_NOT_FOUND',
      message: 'the secret app, field token, is not in nothing, other field',
    });
  });

  it('stop at one that is broken', async () => {
    expect(await refusal(() => firstOf([NOTHING, BROKEN, SECOND]).read(WANTED))).toMatchObject({
      code: 'VAULT_SEALED',
    });
  });

  it('may be none', async () => {
    expect(await refusal(() => firstOf([]).read(WANTED))).toMatchObject({
      code: 'SECRET_NOT_FOUND',
      message: 'the secret app, field token, is not in any secret store',
    });
  });
});
