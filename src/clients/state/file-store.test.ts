import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stateStoreContract } from '../../../test/support/state-store-contract.ts';
import { createFileStore } from './file-store.ts';
import { MAX_STATE_BYTES } from './state-error.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'echelon-state-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const bytes = (text: string): Buffer => Buffer.from(text);

describe('a store of files', () => {
  stateStoreContract(
    () => ({ kind: 'file', options: { folder: join(root, 'not/yet/there') } }),
    () => {
      writeFileSync(join(root, 'file'), '');
      return { kind: 'file', options: { folder: join(root, 'file') } };
    },
  );
});

describe('the files of a store', () => {
  it('are named like their keys, are private, and nothing else is left beside them', async () => {
    const store = createFileStore({ folder: root });
    const first = await store.write('env/org', bytes('one'), 'absent');
    await store.write('env/org', bytes('two'), first === 'lost-race' ? 'absent' : first.version);
    expect(readdirSync(root, { recursive: true }).map(String).sort()).toEqual(['env', 'env/org']);
    expect(statSync(join(root, 'env/org')).mode & 0o777).toBe(0o600);
    expect(statSync(join(root, 'env')).mode & 0o777).toBe(0o700);
  });

  it('are where the folder is, also when that is named from here', async () => {
    const folder = join(root, 'x/../y');
    expect(createFileStore({ folder }).name).toBe(join(root, 'y'));
  });

  it('may have been put there by others', async () => {
    mkdirSync(join(root, 'env'));
    writeFileSync(join(root, 'env/org'), '{"check_in": ');
    const stored = await createFileStore({ folder: root }).read('env/org');
    expect(Buffer.from(stored?.value ?? []).toString()).toBe('{"check_in": ');
  });

  it('cannot be folders', async () => {
    mkdirSync(join(root, 'folder'));
    await expect(createFileStore({ folder: root }).read('folder')).rejects.toMatchObject({
      code: 'STATE_KEY_CONFLICT',
    });
  });

  it('that a killed writer did not finish are removed by the next', async () => {
    const store = createFileStore({ folder: root });
    await store.write('k', bytes('x'), 'absent');
    const name = createHash('sha256').update(join(root, 'k')).digest('hex').slice(0, 16);
    writeFileSync(join(root, `.unfinished-${name}-00`), 'half');
    writeFileSync(join(root, '.unfinished-another-00'), 'half');
    const current = await store.read('k');
    await store.write('k', bytes('z'), current?.version ?? 'absent');
    expect(readdirSync(root).sort()).toEqual(['.unfinished-another-00', 'k']);
  });
});

describe('what cannot be done with files', () => {
  it.each([
    { given: 'a key below another', first: 'a', second: 'a/b' },
    { given: 'a key above another', first: 'a/b', second: 'a' },
  ])('is to read or write $given', async ({ first, second }) => {
    const store = createFileStore({ folder: root });
    await store.write(first, bytes('x'), 'absent');
    await expect(store.read(second)).rejects.toMatchObject({
      code: 'STATE_KEY_CONFLICT',
      message: expect.stringMatching(/^cannot read .*: E/),
    });
    await expect(store.write(second, bytes('x'), 'absent')).rejects.toMatchObject({
      code: 'STATE_KEY_CONFLICT',
      message: expect.stringContaining(`cannot write ${join(root, second)}: E`),
    });
  });

  it('is to read more than anybody has', async () => {
    writeFileSync(join(root, 'k'), '');
    truncateSync(join(root, 'k'), MAX_STATE_BYTES + 1);
    await expect(createFileStore({ folder: root }).read('k')).rejects.toMatchObject({
      code: 'STATE_TOO_LARGE',
      message: `${join(root, 'k')} has more than 64.0 MiB`,
    });
  });

  it('is to write more than can be read', async () => {
    const store = createFileStore({ folder: root });
    await expect(store.write('k', new Uint8Array(MAX_STATE_BYTES + 1), 'absent')).rejects.toMatchObject({
      code: 'STATE_TOO_LARGE',
    });
    expect(readdirSync(root)).toEqual([]);
  });

  it.skipIf(process.getuid?.() === 0)('is to write where that is not allowed', async () => {
    chmodSync(root, 0o500);
    await expect(createFileStore({ folder: root }).write('k', bytes('x'), 'absent')).rejects.toMatchObject({
      code: 'STATE_FORBIDDEN',
    });
  });

  it('is to keep it below a file', async () => {
    const folder = join(root, 'file/state');
    writeFileSync(dirname(folder), '');
    await expect(createFileStore({ folder }).write('k', bytes('x'), 'absent')).rejects.toMatchObject({
      code: 'STATE_KEY_CONFLICT',
    });
  });
});
