import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { refusal, SECRET } from '../../../test/support/vault-refusal.ts';
import { secretField } from './index.ts';
import { tomlSecrets } from './toml-secrets.ts';

const CONFIG = parse(`
top = "${SECRET}-top"
[clusters.one]
token = "${SECRET}-one"
port = 6443
strict = true
since = 2024-01-01
list = ["${SECRET}"]
encoded = "${Buffer.from(`${SECRET}-decoded`).toString('base64')}"
[clusters.one.inner]
token = "${SECRET}-inner"
`);

describe('a secret of config.toml', () => {
  it.each([
    { path: 'clusters/one', field: 'token', value: `${SECRET}-one` },
    { path: 'clusters/one/inner', field: 'token', value: `${SECRET}-inner` },
    { path: 'clusters/one', field: 'port', value: '6443' },
    { path: 'clusters/one', field: 'strict', value: 'true' },
    { path: 'clusters/one', field: 'encoded', format: 'base64' as const, value: `${SECRET}-decoded` },
  ])('$path $field is $value', async ({ value, ...ref }) => {
    expect(await secretField(tomlSecrets(CONFIG), ref)).toBe(value);
  });

  it.each([
    { path: 'clusters/two', field: 'token' },
    { path: 'clusters', field: 'token' },
    { path: 'clusters/one/token', field: 'token' },
    { path: 'clusters/one/since', field: 'token' },
    { path: 'clusters/one/list', field: '0' },
    { path: 'clusters/one', field: 'list' },
    { path: 'clusters/one', field: 'inner' },
    { path: 'top', field: 'length' },
    { path: 'constructor', field: 'name' },
    { path: '__proto__', field: 'toString' },
    { path: 'clusters/one', field: 'toString' },
  ])('$path $field is none', async (ref) => {
    expect(await refusal(() => secretField(tomlSecrets(CONFIG), ref))).toMatchObject({
      code: 'SECRET_NOT_FOUND',
      message: `the secret ${ref.path}, field ${ref.field}, is not in config.toml`,
    });
  });

  it.each(['clusters/two', 'clusters/one/token', 'clusters/one/since', 'clusters/one/list', 'top', '__proto__'])(
    '%s is no table',
    async (path) => {
      const error = await refusal(() => tomlSecrets({ ...CONFIG }).read({ path, field: 'all' }));
      expect(error.code).toBe('SECRET_NOT_FOUND');
    },
  );

  it('that is absent is told with the table to add', async () => {
    const error = await refusal(() => tomlSecrets({}).read({ path: 'app-sre/a.b', field: 'token' }));
    expect(error.hint).toBe('add it to the table [app-sre."a.b"] in config.toml');
  });

  it('is told for redaction with all of its fields, and decoded', async () => {
    const told: string[] = [];
    const reader = tomlSecrets(
      { a: { x: `${SECRET}-x`, y: 'MQ==', z: '' } },
      { onSecret: (value) => told.push(value) },
    );
    await reader.read({ path: 'a', field: 'y', format: 'base64' });
    expect(told).toEqual([`${SECRET}-x`, 'MQ==', '1']);
  });
});
