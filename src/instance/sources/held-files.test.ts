import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Snapshot } from '../snapshot.ts';
import { directorySource } from './directory.ts';
import { holdFiles } from './held-files.ts';
import type { TreeMemory } from './tree-before.ts';

const NOTHING_KEPT = { store: { getBytes: () => undefined, setBytes: () => {} }, key: 'key' };
const OUTSIDE_GIT = { describe: async () => undefined };

function put(root: string, file: string, text: string): void {
  mkdirSync(join(root, file, '..'), { recursive: true });
  writeFileSync(join(root, file), text);
}

describe('an instance of many files', () => {
  const FOLDERS = 1_600;
  const root = mkdtempSync(join(tmpdir(), 'echelon-held-'));

  beforeAll(() => {
    for (let index = 0; index < FOLDERS; index += 1) put(root, `data/x/f${index}/deep/a.yml`, `name: ${index}\n`);
    put(root, 'data/x/a-file.json', '{"name": 1}');
    put(root, 'data/x-1.yml', 'name: [\n');
    put(root, 'data/x/f1599/deep/broken.yml', 'name: [\n');
    symlinkSync('nothing', join(root, 'data/x/f3/link.yml'));
    put(root, 'resources/echelon/manager.yml', 'a: 1\n');
    put(root, '.env', 'export A=1\n');
  });
  afterAll(() => rmSync(root, { recursive: true }));

  const facts = ({ datafiles, unreadable, resources, own, env, problems, revision, text }: Snapshot) => ({
    ...{ datafiles: [...datafiles], unreadable: [...unreadable], resources, own, env, revision },
    problems: problems.toSorted((a, b) => (a.file < b.file ? -1 : 1)),
    texts: [...datafiles.keys()].map(text),
  });

  it('is loaded from what was held as from the folder', async () => {
    const source = directorySource(root, OUTSIDE_GIT);
    const held = await source.hold?.();
    expect(facts((await held?.load({}, NOTHING_KEPT)) as Snapshot)).toEqual(facts(await source.load()));
  });

  it('has the same fingerprint each time, and another after an edit of any part, until it is taken back', async () => {
    const before = holdFiles(root)?.fingerprint;
    expect(holdFiles(root)?.fingerprint).toBe(before);
    for (const file of ['data/x/f0/deep/a.yml', 'data/x/f1599/deep/a.yml', 'data/x/a-file.json']) {
      renameSync(join(root, file), join(root, 'kept'));
      put(root, file, 'name: other\n');
      expect(holdFiles(root)?.fingerprint).not.toBe(before);
      renameSync(join(root, 'kept'), join(root, file));
      expect(holdFiles(root)?.fingerprint).toBe(before);
    }
  });

  /** All folders were left alone for a while before they are listed. */
  const remembering = (): TreeMemory => {
    const kept = new Map<string, Buffer>();
    const setBytes = (key: string, bytes: Buffer) => void kept.set(key, bytes);
    return { store: { getBytes: (key) => kept.get(key), setBytes }, code: 'code', now: Date.now() + 10_000 };
  };

  it('is held the same when what is in it was known before', async () => {
    const memory = remembering();
    const [plain, ...others] = [holdFiles(root), holdFiles(root, memory), holdFiles(root, memory)];
    expect(others.map((held) => held?.fingerprint)).toEqual([plain?.fingerprint, plain?.fingerprint]);
  });

  it('is held without what is a pipe now, which nobody waits for', async () => {
    const memory = remembering();
    const file = join(root, 'data/x/f0/deep/a.yml');
    holdFiles(root, memory);
    renameSync(file, join(root, 'kept'));
    execFileSync('mkfifo', [file]);
    expect(holdFiles(root, memory)?.fingerprint).toBe(holdFiles(root)?.fingerprint);
    renameSync(join(root, 'kept'), file);
  });

  it('is not held when a file that was known has grown over its limit', async () => {
    const memory = remembering();
    const file = 'data/x/f1/deep/a.yml';
    holdFiles(root, memory);
    put(root, file, 'a'.repeat(1024 * 1024 + 1));
    expect(holdFiles(root, memory)).toBeUndefined();
    put(root, file, 'name: 1\n');
  });

  it('is loaded as it was held, though files were edited since', async () => {
    const held = await directorySource(root, OUTSIDE_GIT).hold?.();
    put(root, 'data/x/f7/deep/a.yml', 'name: edited\n');
    const snapshot = await held?.load({}, NOTHING_KEPT);
    expect(snapshot?.datafiles.get('/x/f7/deep/a.yml')?.content).toEqual({ name: 7 });
    expect(snapshot?.text('/x/f7/deep/a.yml')).toBe('name: 7\n');
  });
});

describe('not held is', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'echelon-held-'));
    put(root, 'data/a.yml', 'a: 1\n');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('datafiles that together are over 64 MiB', async () => {
    for (let file = 0; file < 70; file += 1) put(root, `data/${file % 4}/large${file}.yml`, 'a'.repeat(960 * 1024));
    expect(holdFiles(root)).toBeUndefined();
    for (let file = 0; file < 4; file += 1) rmSync(join(root, `data/0/large${4 * file}.yml`));
    expect(holdFiles(root)).toBeDefined();
  });

  it.each([
    { given: 'a datafile over its size limit', file: 'data/large.yml', size: 1024 * 1024 + 1, held: false },
    { given: 'a resource over 64 MiB', file: 'resources/large', size: 64 * 1024 * 1024 + 1, held: false },
    { given: 'nothing of usual size', file: 'resources/usual', size: 3 * 1024 * 1024, held: true },
  ])('$given', async ({ file, size, held }) => {
    put(root, file, 'a'.repeat(size));
    expect(holdFiles(root) !== undefined).toBe(held);
  });
});
