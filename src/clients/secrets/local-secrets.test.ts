import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusal, SECRET } from '../../../test/support/vault-refusal.ts';
import { secretField } from './index.ts';
import { folderSecrets, tomlSecrets } from './local-secrets.ts';

let outer: string;
let folder: string;

beforeEach(() => {
  outer = mkdtempSync(join(tmpdir(), 'echelon-secrets-'));
  folder = join(outer, 'secrets');
  mkdirSync(folder);
});

afterEach(() => rmSync(outer, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(outer, file)), { recursive: true });
  writeFileSync(join(outer, file), text);
}

/** As the kubelet does: a folder of this state, a link that is replaced as a whole, and a link for every key. */
function mount(path: string, state: string, fields: Readonly<Record<string, string>>): void {
  const place = join(folder, path);
  for (const [name, text] of Object.entries(fields)) write(`secrets/${path}/..${state}/${name}`, text);
  symlinkSync(`..${state}`, join(place, '..data_tmp'));
  renameSync(join(place, '..data_tmp'), join(place, '..data'));
  for (const name of Object.keys(fields)) {
    rmSync(join(place, name), { force: true });
    symlinkSync(join('..data', name), join(place, name));
  }
}

describe('a secret in a folder', () => {
  it.each([
    { given: 'no line break', text: SECRET, value: SECRET },
    { given: 'a line break', text: `${SECRET}\n`, value: SECRET },
    { given: 'a line break of Windows', text: `${SECRET}\r\n`, value: SECRET },
    { given: 'two line breaks', text: `${SECRET}\n\n`, value: `${SECRET}\n` },
    { given: 'blanks', text: ` ${SECRET} \n`, value: ` ${SECRET} ` },
    { given: 'nothing', text: '', value: '' },
  ])('with $given at its end', async ({ text, value }) => {
    write('secrets/app/creds/token', text);
    expect(await secretField(folderSecrets(folder), { path: 'app/creds', field: 'token' })).toBe(value);
  });

  it('has its files as fields, and neither its folders nor what belongs to Kubernetes', async () => {
    write('secrets/app/a', '1');
    write('secrets/app/b.txt', '2');
    write('secrets/app/inner/c', '3');
    write('secrets/app/..d', '4');
    const fields = await folderSecrets(folder).read({ path: 'app', field: 'a' });
    expect(Object.fromEntries(fields)).toEqual({ a: '1', 'b.txt': '2' });
  });

  it('is read again every time', async () => {
    const reader = folderSecrets(folder);
    write('secrets/app/token', 'old');
    expect(await secretField(reader, { path: 'app', field: 'token' })).toBe('old');
    write('secrets/app/token', 'new');
    expect(await secretField(reader, { path: 'app', field: 'token' })).toBe('new');
  });

  it('may be mounted by Kubernetes, and replaced', async () => {
    const reader = folderSecrets(folder);
    mount('app/creds', '2024_1', { token: 'old', user: 'me' });
    expect(Object.fromEntries(await reader.read({ path: 'app/creds', field: 'token' }))).toEqual({
      token: 'old',
      user: 'me',
    });
    mount('app/creds', '2024_2', { token: 'new', user: 'you' });
    expect(Object.fromEntries(await reader.read({ path: 'app/creds', field: 'token' }))).toEqual({
      token: 'new',
      user: 'you',
    });
  });

  it('may be below a single mount', async () => {
    write('secrets/..2024_1/app/token', SECRET);
    symlinkSync('..2024_1', join(folder, '..data'));
    symlinkSync(join('..data', 'app'), join(folder, 'app'));
    expect(await secretField(folderSecrets(folder), { path: 'app', field: 'token' })).toBe(SECRET);
  });

  it('may be in a folder that is a link', async () => {
    write('secrets/app/token', SECRET);
    symlinkSync(folder, join(outer, 'link'));
    expect(await secretField(folderSecrets(join(outer, 'link')), { path: 'app', field: 'token' })).toBe(SECRET);
  });

  it('is told for redaction with all of its fields', async () => {
    write('secrets/app/a', 'one\n');
    write('secrets/app/b', 'dHdv\n');
    write('secrets/app/c', '\n');
    const told: string[] = [];
    const reader = folderSecrets(folder, { onSecret: (value) => told.push(value) });
    expect(await secretField(reader, { path: 'app', field: 'b', format: 'base64' })).toBe('two');
    expect(told.sort()).toEqual(['dHdv', 'one', 'two']);
  });
});

describe('a secret that a folder does not have', () => {
  it.each([
    { given: 'no folder', path: 'other', field: 'token' },
    { given: 'a file for a folder', path: 'app/token', field: 'token' },
    { given: 'no file', path: 'app', field: 'other' },
    { given: 'a field that leaves', path: 'app', field: '../../outside' },
    { given: 'a field below', path: 'app', field: 'inner/token' },
  ])('is told: $given', async ({ path, field }) => {
    write('outside', SECRET);
    write('secrets/app/token', SECRET);
    write('secrets/app/inner/token', SECRET);
    const error = await refusal(() => secretField(folderSecrets(folder), { path, field }));
    expect(error).toMatchObject({
      code: 'SECRET_NOT_FOUND',
      message: `the secret ${path}, field ${field}, is not in ${folder}`,
    });
  });

  it('is told with the place to write it to', async () => {
    const error = await refusal(() => folderSecrets(folder).read({ path: 'app', field: 'token' }));
    expect(error.hint).toBe(`write it to a file named token in ${join(folder, 'app')}`);
  });
});

describe('a folder of secrets is not left', () => {
  it.each([
    { given: 'a path', make: () => undefined, path: '../other' },
    { given: 'a link to a folder', make: () => symlinkSync(join(outer, 'other'), join(folder, 'app')), path: 'app' },
    { given: 'a link to a folder beside', make: () => symlinkSync('../secrets-2', join(folder, 'app')), path: 'app' },
    { given: 'a link to an empty folder', make: () => symlinkSync('../empty', join(folder, 'app')), path: 'app' },
    {
      given: 'a link to a file',
      make: () => {
        mkdirSync(join(folder, 'app'));
        symlinkSync(join(outer, 'other', 'token'), join(folder, 'app', 'token'));
      },
      path: 'app',
    },
    {
      given: 'the link of Kubernetes',
      make: () => {
        mkdirSync(join(folder, 'app'));
        symlinkSync(join(outer, 'other'), join(folder, 'app', '..data'));
      },
      path: 'app',
    },
  ])('by $given', async ({ make, path }) => {
    write('other/token', SECRET);
    write('secrets-2/token', SECRET);
    mkdirSync(join(outer, 'empty'));
    make();
    expect(await refusal(() => secretField(folderSecrets(folder), { path, field: 'token' }))).toMatchObject({
      code: 'SECRET_PATH_INVALID',
    });
  });
});

describe('a folder that is not one of secrets', () => {
  it('is told when it is absent', async () => {
    const absent = join(outer, 'absent');
    expect(await refusal(() => folderSecrets(absent).read({ path: 'a', field: 'b' }))).toMatchObject({
      code: 'SECRET_UNREADABLE',
      message: `cannot read ${absent}: ENOENT`,
      hint: expect.stringContaining('--secrets-dir'),
    });
  });

  it('is told when a link leads to itself', async () => {
    symlinkSync('app', join(folder, 'app'));
    expect(await refusal(() => folderSecrets(folder).read({ path: 'app', field: 'b' }))).toMatchObject({
      code: 'SECRET_UNREADABLE',
      message: `cannot read ${join(folder, 'app')}: ELOOP`,
    });
  });

  it('is told when a file is larger than any secret', async () => {
    write('secrets/app/token', SECRET);
    truncateSync(join(folder, 'app', 'token'), 1024 * 1024 + 1);
    expect(await refusal(() => folderSecrets(folder).read({ path: 'app', field: 'token' }))).toMatchObject({
      code: 'SECRET_TOO_LARGE',
      message: `${join(folder, 'app', 'token')} is larger than 1.0 MiB`,
    });
  });
});

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
