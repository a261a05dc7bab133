import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { walkTree } from './walk-tree.ts';

let outer: string;
let root: string;

beforeEach(() => {
  outer = mkdtempSync(join(tmpdir(), 'echelon-walk-'));
  root = join(outer, 'root');
  mkdirSync(root);
});

afterEach(() => rmSync(outer, { recursive: true }));

function write(path: string, text = 'x'): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function paths(): string[] {
  return walkTree(root).files.map(({ path }) => path);
}

describe('the files below a folder', () => {
  it('are listed by path, in the order of code units, with their location', () => {
    for (const path of ['b.yml', 'a/z.yml', 'a.yml', 'B.yml', 'a/b/c.yml', 'ä.yml', 'a b.yml']) write(path);
    expect(walkTree(root)).toEqual({
      files: ['/B.yml', '/a b.yml', '/a.yml', '/a/b/c.yml', '/a/z.yml', '/b.yml', '/ä.yml'].map((path) => ({
        path,
        location: join(root, path),
      })),
      problems: [],
    });
  });

  it('are none in an empty folder', () => {
    mkdirSync(join(root, 'empty'));
    expect(walkTree(root)).toEqual({ files: [], problems: [] });
  });

  it('are not those whose name, or a folder of it, begins with a dot', () => {
    for (const path of ['.hidden.yml', '.git/config', 'a/.b/c.yml', 'a/d.yml', 'a..yml']) write(path);
    expect(paths()).toEqual(['/a..yml', '/a/d.yml']);
  });

  it('have any extension and any name', () => {
    for (const path of ['a', 'b.md', 'c.YML', 'new\nline.yml', '😀.yml', 'a:b.yml']) write(path);
    expect(paths()).toEqual(['/a', '/a:b.yml', '/b.md', '/c.YML', '/new\nline.yml', '/😀.yml']);
  });

  it('are not pipes', () => {
    execFileSync('mkfifo', [join(root, 'pipe.yml')]);
    expect(walkTree(root)).toEqual({ files: [], problems: [] });
  });

  it('are found when the folder itself is a link', () => {
    write('a.yml');
    symlinkSync('root', join(outer, 'link'));
    const { files, problems } = walkTree(join(outer, 'link'));
    expect(files).toEqual([{ path: '/a.yml', location: join(outer, 'link', 'a.yml') }]);
    expect(problems).toEqual([]);
  });
});

const BROKEN = { rule: 'symlink-broken', severity: 'error' };
const OUTSIDE = { rule: 'symlink-outside', severity: 'error' };
const FOLDER = { rule: 'symlink-folder', severity: 'warning' };

describe('a symbolic link', () => {
  it.each([
    { given: 'beside it', path: 'link.yml', target: 'a.yml' },
    { given: 'above it', path: 'b/link.yml', target: '../a.yml' },
    { given: 'below a hidden folder', path: 'link.yml', target: '.hidden/h.yml' },
    { given: 'through another link', path: 'link.yml', target: 'other.yml' },
    { given: 'that leaves and comes back', path: 'link.yml', target: '../root/a.yml' },
  ])('to a file $given is read', ({ path, target }) => {
    for (const each of ['a.yml', '.hidden/h.yml', 'b/c.yml']) write(each);
    symlinkSync('a.yml', join(root, 'other.yml'));
    symlinkSync(target, join(root, path));
    expect(paths()).toContain(`/${path}`);
    expect(walkTree(root).problems).toEqual([]);
  });

  it.each([
    { given: 'to a file outside', target: '../secret.yml', problem: OUTSIDE },
    { given: 'to an absolute path outside', target: '/etc/passwd', problem: OUTSIDE },
    { given: 'to a folder outside', target: '/etc', problem: OUTSIDE },
    { given: 'to a device', target: '/dev/zero', problem: OUTSIDE },
    { given: 'to a folder whose name begins with that of the root', target: '../root-2/a.yml', problem: OUTSIDE },
    { given: 'through a link that leaves', target: 'out/secret.yml', problem: OUTSIDE },
    { given: 'to nothing', target: 'nowhere.yml', problem: BROKEN },
    { given: 'to itself', target: 'link.yml', problem: BROKEN },
    { given: 'in a circle', target: 'ring.yml', problem: BROKEN },
    { given: 'below a file', target: 'a.yml/b', problem: BROKEN },
    { given: 'to a folder inside', target: 'sub', problem: FOLDER },
    { given: 'to the folder itself', target: '.', problem: FOLDER },
    { given: 'to a pipe', target: 'pipe', problem: FOLDER },
  ])('$given is told and not read', ({ target, problem }) => {
    for (const each of ['a.yml', 'sub/b.yml']) write(each);
    writeFileSync(join(outer, 'secret.yml'), 'secret');
    mkdirSync(join(outer, 'root-2'));
    writeFileSync(join(outer, 'root-2', 'a.yml'), 'secret');
    execFileSync('mkfifo', [join(root, 'pipe')]);
    symlinkSync('link.yml', join(root, 'ring.yml'));
    symlinkSync(outer, join(root, 'out'));
    symlinkSync(target, join(root, 'link.yml'));
    const tree = walkTree(root);
    expect(tree.files.map(({ path }) => path)).not.toContain('/link.yml');
    expect(tree.problems).toContainEqual(expect.objectContaining({ ...problem, file: '/link.yml' }));
  });

  it('tells what to do about it', () => {
    symlinkSync('/etc/hostname', join(root, 'a.yml'));
    symlinkSync('nowhere', join(root, 'b.yml'));
    symlinkSync('.', join(root, 'c'));
    expect(walkTree(root).problems.map(({ message, hint }) => `${message}: ${hint}`)).toEqual([
      'the symbolic link points outside the folder and is not followed: copy the file here, or link to a file inside the folder',
      'the symbolic link is dangling: fix or remove the link',
      'the symbolic link to a folder is not followed: link the files one by one, or use the path of the folder itself',
    ]);
  });

  it('that begins with a dot is passed over, wherever it leads', () => {
    symlinkSync('/etc/passwd', join(root, '.link.yml'));
    expect(walkTree(root)).toEqual({ files: [], problems: [] });
  });
});

describe('a folder that cannot be read', () => {
  it.skipIf(process.getuid?.() === 0)('is told, and the others are read', () => {
    for (const path of ['closed/a.yml', 'open/b.yml']) write(path);
    chmodSync(join(root, 'closed'), 0o000);
    const tree = walkTree(root);
    chmodSync(join(root, 'closed'), 0o755);
    expect(tree.files.map(({ path }) => path)).toEqual(['/open/b.yml']);
    expect(tree.problems).toEqual([expect.objectContaining({ rule: 'unreadable-file', file: '/closed' })]);
  });

  it('is told when it is a file', () => {
    write('file');
    const tree = walkTree(join(root, 'file'));
    expect(tree.files).toEqual([]);
    expect(tree.problems).toEqual([
      {
        rule: 'unreadable-file',
        severity: 'error',
        file: '',
        message: expect.stringMatching(/^cannot read the folder: ENOTDIR/),
        hint: 'check its permissions',
      },
    ]);
  });
});
