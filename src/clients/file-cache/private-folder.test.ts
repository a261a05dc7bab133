import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { privateFolder } from './private-folder.ts';

const OTHER = 4711;
const isRoot = process.getuid?.() === 0;

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'echelon-private-')));
});
afterEach(() => rmSync(root, { recursive: true }));

const path = (name: string): string => join(root, name);

function make(name: string, mode: number): string {
  mkdirSync(path(name), { recursive: true });
  chmodSync(path(name), mode);
  return path(name);
}

describe('a private folder', () => {
  it('is made for its owner alone, with all above it that is missing', () => {
    expect(privateFolder(path('new/folder'))).toEqual({ folder: path('new/folder') });
    expect(['new', 'new/folder'].map((name) => statSync(path(name)).mode & 0o777)).toEqual([0o700, 0o700]);
  });

  it.each([
    { mode: 0o700, found: 'folder' },
    { mode: 0o755, found: 'folder' },
    { mode: 0o775, found: 'fault' },
    { mode: 0o757, found: 'fault' },
    { mode: 0o1777, found: 'fault' },
  ])('with mode $mode is a $found', ({ mode, found }) => {
    expect(Object.keys(privateFolder(make('folder', mode)))).toEqual([found]);
  });

  it.each([
    {
      given: 'a link',
      arrange: () => symlinkSync(make('target', 0o700), path('folder')),
      fault: /folder is not a dir/,
    },
    { given: 'a file', arrange: () => writeFileSync(path('folder'), ''), fault: /^EEXIST/ },
    { given: 'below a file', arrange: () => writeFileSync(path('folder'), ''), name: 'folder/a', fault: /^ENOTDIR/ },
    { given: 'a link to itself', arrange: () => symlinkSync('folder', path('folder')), fault: /^ELOOP/ },
    { given: 'a link to nowhere', arrange: () => symlinkSync('nowhere', path('folder')), fault: /^ENOENT/ },
  ])('is not $given', ({ arrange, name = 'folder', fault }) => {
    arrange();
    expect(privateFolder(path(name))).toEqual({ fault: expect.stringMatching(fault) });
  });

  it.runIf(isRoot)('is not the folder of another user', () => {
    chownSync(make('folder', 0o700), OTHER, OTHER);
    expect(privateFolder(path('folder'))).toEqual({ fault: `${path('folder')} belongs to another user` });
  });
});

describe('the way to a private folder', () => {
  it.each([
    { given: 'of one user', above: 0o700, is: 'safe' },
    { given: 'that others can read', above: 0o755, is: 'safe' },
    { given: 'that a group can write to', above: 0o775, is: 'open' },
    { given: 'that all can write to', above: 0o777, is: 'open' },
    { given: 'as /tmp', above: 0o1777, is: 'safe' },
    { given: 'that is a volume of a pod on disk', above: 0o777, is: 'open' },
    { given: 'that is a volume of a pod on disk, with a group', above: 0o2777, is: 'open' },
    { given: 'that is a volume of a pod in memory, with a group', above: 0o3777, is: 'safe' },
  ])('through a folder $given is $is', ({ above, is }) => {
    make('above', above);
    const open = { fault: `${path('above')} is writable to other users` };
    expect(privateFolder(path('above/a/b'))).toEqual(is === 'safe' ? { folder: path('above/a/b') } : open);
    expect(existsSync(path('above/a'))).toBe(is === 'safe');
  });

  it.runIf(isRoot)('leads through no folder of another user', () => {
    make('above/folder', 0o700);
    chownSync(path('above'), OTHER, OTHER);
    expect(privateFolder(path('above/folder'))).toEqual({ fault: `${path('above')} belongs to another user` });
  });

  it('follows a link of this user to where it leads', () => {
    make('target', 0o700);
    symlinkSync('target', path('link'));
    expect(privateFolder(path('link/folder'))).toEqual({ folder: path('target/folder') });
  });

  it('is that of the target of a link, too', () => {
    make('open/target', 0o700);
    chmodSync(path('open'), 0o777);
    symlinkSync('open/target', path('link'));
    expect(privateFolder(path('link/folder'))).toEqual({ fault: `${path('open')} is writable to other users` });
  });

  it.runIf(isRoot)('leads through no link of another user, who can turn it elsewhere', () => {
    make('shared', 0o1777);
    symlinkSync(make('target', 0o700), path('shared/link'));
    lchownSync(path('shared/link'), OTHER, OTHER);
    expect(privateFolder(path('shared/link/folder'))).toEqual({
      fault: `${path('shared/link')} belongs to another user`,
    });
    expect(existsSync(path('target/folder'))).toBe(false);
  });

  it('is not checked where it contains the program, which could be exchanged there as well', () => {
    const program = make('checkout/src', 0o775);
    chmodSync(path('checkout'), 0o775);
    // It imports one function of another room.
    const source = join(import.meta.dirname, 'private-folder.ts');
    const script = `
      import { readFileSync, writeFileSync } from 'node:fs';
      const text = readFileSync(${JSON.stringify(source)}, 'utf8');
      writeFileSync('folder.ts', text.replace('../../base/index.ts', ${JSON.stringify(join(import.meta.dirname, '../../base/index.ts'))}));
      const { privateFolder } = await import(process.cwd() + '/folder.ts');
      console.log(JSON.stringify(['../cache', 'folder', '../../elsewhere'].map((one) => privateFolder(one))));`;
    make('elsewhere', 0o775);
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      ...{ cwd: program, encoding: 'utf8', env: {} },
    });
    expect({ stderr, found: JSON.parse(stdout) }).toEqual({
      stderr: '',
      found: [
        { folder: path('checkout/cache') },
        { folder: path('checkout/src/folder') },
        { fault: `${path('elsewhere')} is writable to other users` },
      ],
    });
  });
});

describe.runIf(isRoot)('the user that OpenShift chooses for a pod, in the group of root', () => {
  const SCRIPT = `
    const { privateFolder } = await import(process.argv[1]);
    console.log(JSON.stringify(privateFolder(process.argv[2])));`;
  const asPod = (folder: string) => {
    const args = ['--input-type=module', '-e', SCRIPT, join(import.meta.dirname, 'private-folder.ts'), folder];
    return spawnSync(process.execPath, args, { uid: 1_000_650_000, gid: 0, encoding: 'utf8', env: {} });
  };

  it.for([
    { volume: 'in memory', mode: 0o1777, safe: true },
    { volume: 'in memory, with an fsGroup', mode: 0o3777, safe: true },
    { volume: 'on disk', mode: 0o777, safe: false },
    { volume: 'on disk, with an fsGroup', mode: 0o2777, safe: false },
    { volume: 'in the image, for the group of root', mode: 0o775, safe: false },
  ])('has a cache of its own in a volume $volume: $safe', ({ mode, safe }, { skip }) => {
    // The temporary folder of the tests is closed to others.
    const volume = mkdtempSync('/tmp/echelon-volume-');
    chmodSync(volume, mode);
    const { stdout, stderr, error } = asPod(join(volume, 'echelon/compiled'));
    const modes = readdirSync(volume).map((name) => statSync(join(volume, name)).mode & 0o777);
    rmSync(volume, { recursive: true });
    skip(/EACCES|Cannot find module/.test(`${error} ${stderr}`), 'other users cannot read this checkout');
    const [found, open] = [
      { folder: join(volume, 'echelon/compiled') },
      { fault: `${volume} is writable to other users` },
    ];
    expect({ found: JSON.parse(stdout), modes }).toEqual(safe ? { found, modes: [0o700] } : { found: open, modes: [] });
  });
});
