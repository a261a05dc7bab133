import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { untilFilesAreLater } from '../../../test/support/file-clock.ts';
import { holdsAsync } from '../../../test/support/property.ts';
import { REPO } from '../../../test/support/shared.ts';
import { holdFiles } from './held-files.ts';
import { listTree, type TreeMemory, treeBefore } from './tree-before.ts';

let root: string;
let data: string;
let kept: Map<string, Buffer>;

function build(): void {
  root = mkdtempSync(join(tmpdir(), 'echelon-tree-'));
  data = join(root, 'data');
  kept = new Map();
  for (const path of ['a/1.yml', 'a/deep/2.yml', 'b/3.json', 'b/note.md', '4.yml']) put(path, `name: ${path}\n`);
  symlinkSync('4.yml', join(data, 'link.yml'));
}

beforeEach(build);
afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, text: string): void {
  const place = join(data, path);
  mkdirSync(dirname(place), { recursive: true });
  // Whoever writes to a pipe waits for a reader.
  if (statSync(place, { throwIfNoEntry: false })?.isFIFO()) rmSync(place);
  writeFileSync(place, text);
}

/** As if all folders had been left alone for a while before they were listed. */
function memoryOf(changes: Partial<TreeMemory> = {}): TreeMemory {
  const store = {
    getBytes: (key: string) => kept.get(key),
    setBytes: (key: string, bytes: Buffer) => void kept.set(key, bytes),
  };
  return { store, code: 'code', now: Date.now() + 10_000, ...changes };
}

describe('what was below a folder', () => {
  it('is known the next time, without reading a folder', () => {
    const listed = listTree(data, memoryOf());
    const before = treeBefore(memoryOf(), data);
    const { isUnchanged, ...known } = before ?? {};
    expect({ ...known, problems: [] }).toEqual(listed);
    expect(isUnchanged?.()).toBe(true);
  });

  it.each([
    { given: 'the folders were changed just before', listed: { now: Date.now() }, asked: {} },
    { given: 'other code asks', listed: {}, asked: { code: 'other' } },
    { given: 'the clock was set back since', listed: {}, asked: { now: Date.now() - 10_000 } },
  ])('is not known when $given', ({ listed, asked }) => {
    listTree(data, memoryOf(listed));
    expect(treeBefore(memoryOf(asked), data)).toBeUndefined();
  });

  it('is not known when a byte of what was kept differs, or some are missing', () => {
    listTree(data, memoryOf());
    const [[key, whole]] = [...kept] as [[string, Buffer]];
    const changed = (at: number): Buffer => {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      return bytes;
    };
    const broken = [...[0, 31, 32, whole.length - 1].map(changed), whole.subarray(0, 40), Buffer.alloc(0)];
    const known = broken.map((bytes) => {
      kept.set(key, bytes);
      return treeBefore(memoryOf(), data);
    });
    expect(known).toEqual(broken.map(() => undefined));
  });

  it('is not remembered in a file system that need not keep times', () => {
    listTree('/proc/self/fdinfo', memoryOf());
    expect(treeBefore(memoryOf(), '/proc/self/fdinfo')).toBeUndefined();
  });

  it('is not known in another folder that took its place', () => {
    listTree(data, memoryOf());
    renameSync(data, join(root, 'old'));
    execFileSync('cp', ['-a', join(root, 'old'), data]);
    expect(treeBefore(memoryOf(), data)).toBeUndefined();
  });
});

type Edit = readonly [name: string, edit: () => void];

/** One name changes its folder; then its times are set to what they were, where a program can set them. */
const EDITS: readonly Edit[] = [
  ['a new file', () => put('a/new.yml', 'name: new\n')],
  ['a new file that is no datafile', () => put('a/new.md', 'new\n')],
  ['a new folder', () => put('a/deep/er/new.yml', 'name: new\n')],
  ['an edit of the same size', () => put('a/1.yml', 'name: A/1.yml\n')],
  ['a file less', () => rmSync(join(data, 'a/deep/2.yml'), { force: true })],
  ['a folder less', () => rmSync(join(data, 'b'), { recursive: true, force: true })],
  ['another name', () => renameSync(join(data, '4.yml'), join(data, '5.yml'))],
  ['a file in another folder', () => renameSync(join(data, 'a/1.yml'), join(data, '1.yml'))],
  ['a second name of a file', () => linkSync(join(data, 'a/1.yml'), join(data, 'a/one.yml'))],
  [
    'two folders in the place of each other',
    () => {
      renameSync(join(data, 'a'), join(data, 'x'));
      renameSync(join(data, 'b'), join(data, 'a'));
      renameSync(join(data, 'x'), join(data, 'b'));
    },
  ],
  [
    'a link in place of a file',
    () => {
      rmSync(join(data, 'a/1.yml'));
      symlinkSync('deep/2.yml', join(data, 'a/1.yml'));
    },
  ],
  [
    'a link in place of a folder',
    () => {
      renameSync(join(data, 'a/deep'), join(data, 'moved'));
      symlinkSync('../moved', join(data, 'a/deep'));
    },
  ],
  [
    'a link to something else',
    () => {
      rmSync(join(data, 'link.yml'));
      symlinkSync('/etc/hostname', join(data, 'link.yml'));
    },
  ],
  ['nothing where a link points to', () => rmSync(join(data, '4.yml'))],
  [
    'a pipe in place of a file',
    () => {
      rmSync(join(data, 'a/1.yml'));
      execFileSync('mkfifo', [join(data, 'a/1.yml')]);
    },
  ],
];

function withOldTimes(edit: () => void): void {
  const folders = ['.', 'a', 'a/deep', 'b'].map((path) => join(data, path));
  const times = folders.map((folder) => statSync(folder).mtime);
  edit();
  for (const [index, folder] of folders.entries()) {
    const time = times[index] ?? 0;
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) utimesSync(folder, time, time);
  }
}

describe('an instance with a memory of its folders', () => {
  const isSeen = async (): Promise<void> => {
    const [remembering, plain] = [holdFiles(root, memoryOf()), holdFiles(root)];
    expect(remembering?.fingerprint).toBe(plain?.fingerprint);
    expect(remembering?.data()).toEqual(plain?.data());
  };

  it.each(EDITS)('is held as without one after %s', async (_, edit) => {
    await isSeen();
    untilFilesAreLater(root);
    withOldTimes(edit);
    await isSeen();
    await isSeen();
  });

  it('is held as without one after any edits in a row', async () => {
    const edits = fc.array(fc.constantFrom(...EDITS), { minLength: 2, maxLength: 6 });
    await holdsAsync(
      fc.asyncProperty(edits, async (row) => {
        rmSync(root, { recursive: true });
        build();
        for (const [, edit] of row) {
          await isSeen();
          // Not taken for granted: else the memory would never have been asked.
          expect(treeBefore(memoryOf(), data)?.isUnchanged()).toBe(true);
          untilFilesAreLater(root);
          whereItCan(() => withOldTimes(edit));
        }
        await isSeen();
      }),
      { numRuns: 12 },
    );
  });
});

/** Where a process may have mounts of its own, which end with it. */
const inOwnMounts = (args: readonly string[]) =>
  spawnSync('unshare', ['--map-root-user', '--mount', ...args], { encoding: 'utf8' });

it.skipIf(inOwnMounts(['mount', '--bind', '/proc/kallsyms', '/dev/null']).status !== 0)(
  'an instance with a memory of its folders is held as without one after something was mounted on one of them, or on a file',
  () => {
    const script = join(REPO, 'test/support/held-with-mounts.ts');
    // Reading the file of the kernel gives little at a time.
    const mounts = [join(data, 'b'), 'a', join(data, 'b/3.json'), 'a/1.yml', '/proc/kallsyms', 'a/deep/2.yml'];
    const { stdout, stderr } = inOwnMounts([process.execPath, '--no-warnings', script, root, ...mounts]);
    expect(stderr).toBe('');
    const held = JSON.parse(stdout) as (string | null)[];
    const [plain, folder, , file, , kernel] = [0, 1, 2, 3, 4, 5].map((time) => held[3 * time + 2]);
    expect(new Set([plain, folder, file, kernel])).toHaveProperty('size', 4);
    expect(held).toEqual([plain, folder, plain, file, plain, kernel, plain].flatMap((each) => [each, each, each]));
  },
);

it.skipIf(inOwnMounts(['setpriv', '--bounding-set', '-all', 'true']).status !== 0)(
  'an instance is held as without a memory of its folders by a root that may read less than the one that listed it',
  () => {
    const node = `"$0" --no-warnings ${join(REPO, 'test/support/held-by.ts')} "$1" "$2"`;
    chmodSync(join(data, 'b'), 0o311);
    const line = `${node} && ${node} && setpriv --bounding-set -all --inh-caps -all ${node}`;
    const { stdout, stderr } = inOwnMounts(['sh', '-c', line, process.execPath, root, join(root, 'cache')]);
    chmodSync(join(data, 'b'), 0o700);
    expect(stderr).toBe('');
    const [first, again, less] = stdout.split('\n').map((prints) => (prints === '' ? [] : JSON.parse(prints)));
    expect([first[0], again[0], less[0]]).toEqual([first[1], first[1], less[1]]);
    expect(less[1]).not.toBe(first[1]);
  },
);

/** What an edit changes may be gone. */
function whereItCan(edit: () => void): void {
  try {
    edit();
  } catch (thrown) {
    expect(thrown).toHaveProperty('code', expect.stringMatching(/^E(NOENT|EXIST|NOTDIR|ISDIR|NOTEMPTY)$/));
  }
}
