import { describe, expect, it } from 'vitest';
import { refusal, SECRET } from '../../../test/support/vault-refusal.ts';
import { EchelonError } from '../../base/index.ts';
import { firstOf } from './first-of.ts';
import { secretField } from './index.ts';
import type { SecretReader } from './secret-reader.ts';
import { tomlSecrets } from './toml-secrets.ts';

const REF = { path: 'app', field: 'token' };

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
    expect(await secretField(firstOf(readers), REF)).toBe(value);
  });

  it('of which none has the field give the first secret', async () => {
    const fields = await firstOf([NOTHING, OTHER_FIELD, SECOND]).read({ path: 'app', field: 'all' });
    expect(Object.fromEntries(fields)).toEqual({ user: 'me' });
  });

  it('are all named when none has the secret', async () => {
    const error = await refusal(() => secretField(firstOf([NOTHING, named('else', { b: { token: SECRET } })]), REF));
    expect(error).toMatchObject({
      code: 'SECRET_NOT_FOUND',
      message: 'the secret app, field token, is not in nothing, else',
      hint: expect.stringContaining('add it to the table [app]'),
    });
  });

  it('are all named when none has the field', async () => {
    expect(await refusal(() => secretField(firstOf([NOTHING, OTHER_FIELD]), REF))).toMatchObject({
      code: 'SECRET_NOT_FOUND',
      message: 'the secret app, field token, is not in nothing, other field',
    });
  });

  it('stop at one that is broken', async () => {
    expect(await refusal(() => firstOf([NOTHING, BROKEN, SECOND]).read(REF))).toMatchObject({ code: 'VAULT_SEALED' });
  });

  it('may be none', async () => {
    expect(await refusal(() => firstOf([]).read(REF))).toMatchObject({
      code: 'SECRET_NOT_FOUND',
      message: 'the secret app, field token, is not in any secret store',
    });
  });
});
