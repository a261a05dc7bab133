import { existsSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GitSandbox, gitSandbox } from '../../../test/support/git-sandbox.ts';
import { openRepository } from './index.ts';
import type { Repository } from './repository.ts';

let box: GitSandbox;
let repository: Repository;

beforeEach(async () => {
  box = gitSandbox();
  box.init('repo');
  repository = await openRepository(box.path('repo'));
});
afterEach(() => box.dispose());

function exported(): string[] {
  const entries = readdirSync(box.path('out'), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(box.path('out').length + 1))
    .sort();
}

describe('a file of a commit', () => {
  it.each(['a b.yml', 'ä/ü.yml', 'a\nb.yml', '-x', 'data/*.yml'])('is read by its name: %j', async (path) => {
    box.commit('repo', 'x', { [path]: `content of ${path}` });
    expect(Buffer.from((await repository.readFile('HEAD', path)) ?? []).toString()).toBe(`content of ${path}`);
  });

  it('is read as it was in that commit', async () => {
    box.commit('repo', 'x', { 'data/a.yml': 'a: 2\n' });
    box.write('repo', 'data/a.yml', 'a: 3\n');
    expect(Buffer.from((await repository.readFile('HEAD~1', 'data/a.yml')) ?? []).toString()).toBe('a: 1\n');
    expect(Buffer.from((await repository.readFile('HEAD', 'data/a.yml')) ?? []).toString()).toBe('a: 2\n');
  });

  it.each([
    'nowhere.yml',
    'data',
    'data/',
    '/etc/passwd',
    '../repo/README.md',
    '.git/config',
    '',
    'link',
    './README.md',
  ])('is none: %j', async (path) => {
    symlinkSync('README.md', box.path('repo/link'));
    box.commit('repo', 'x');
    expect(await repository.readFile('HEAD', path)).toBeUndefined();
  });

  it('is read byte by byte, whatever core.autocrlf and filters say', async () => {
    const bytes = Buffer.from([0x61, 0x0d, 0x0a, 0x00, 0xff, 0x0a]);
    box.write('repo', 'bytes', bytes);
    box.commit('repo', 'x', { 'lf.yml': 'a: 1\nb: 2\n' });
    box.write('repo', '.gitattributes', '*.yml text eol=crlf filter=loud\n');
    box.commit('repo', 'y');
    box.git('repo', 'config', 'core.autocrlf', 'true');
    box.git('repo', 'config', 'filter.loud.smudge', 'tr a-z A-Z');
    expect(Buffer.from((await repository.readFile('HEAD', 'bytes')) ?? [])).toEqual(bytes);
    expect(Buffer.from((await repository.readFile('HEAD', 'lf.yml')) ?? []).toString()).toBe('a: 1\nb: 2\n');
    await repository.exportTree('HEAD', box.path('out'));
    expect(readFileSync(box.path('out/lf.yml'), 'utf8')).toBe('a: 1\nb: 2\n');
    expect(readFileSync(box.path('out/bytes'))).toEqual(bytes);
  });
});

describe('the tree of a commit', () => {
  it('is written with its names and modes, and the repository stays as it is', async () => {
    box.write('repo', 'run.sh', '#!/bin/sh\n', 0o755);
    box.commit('repo', 'x', { 'a b/ü\n.yml': 'x', empty: '' });
    box.write('repo', 'data/a.yml', 'dirty: 1\n');
    const index = readFileSync(box.path('repo/.git/index'));
    await repository.exportTree('HEAD', box.path('out'));
    expect(exported()).toEqual(['README.md', 'a b/ü\n.yml', 'data/a.yml', 'empty', 'run.sh']);
    expect(readFileSync(box.path('out/data/a.yml'), 'utf8')).toBe('a: 1\n');
    expect(statSync(box.path('out/run.sh')).mode & 0o100).toBe(0o100);
    expect(statSync(box.path('out/README.md')).mode & 0o111).toBe(0);
    expect(readFileSync(box.path('repo/.git/index'))).toEqual(index);
    expect(readFileSync(box.path('repo/data/a.yml'), 'utf8')).toBe('dirty: 1\n');
  });

  it('is written in part', async () => {
    box.commit('repo', 'x', { 'resources/r.yml': 'r', '.env': 'A=1\n', 'database/x.yml': 'x' });
    await repository.exportTree('HEAD', box.path('out'), ['data', '.env', 'nowhere']);
    expect(exported()).toEqual(['.env', 'data/a.yml']);
  });

  it('is written from a bare repository and from a linked work tree', async () => {
    box.git('', 'clone', '--quiet', '--bare', 'repo', 'bare.git');
    await (await openRepository(box.path('bare.git'))).exportTree('main', box.path('out'));
    expect(exported()).toEqual(['README.md', 'data/a.yml']);
  });

  it('has only the links that stay inside', async () => {
    box.write('outside', 'secret', 'secret');
    const links = {
      'data/inside': '../README.md',
      'data/dangling': 'nowhere',
      'p/q/top': '../..',
      absolute: '/etc/passwd',
      up: '../outside/secret',
      'data/up': '../../outside/secret',
      'data/winding': '../data/../../outside/secret',
      'through-another': 'p/q/top/../outside/secret',
      'git-folder': '.git/config',
    };
    for (const [path, target] of Object.entries(links)) {
      box.write('repo', `${path}.keep`, '');
      symlinkSync(target, box.path('repo', path));
    }
    box.commit('repo', 'links');
    await repository.exportTree('HEAD', box.path('out'));
    const made = Object.keys(links).filter((path) => existsLink(box.path('out', path)));
    expect(made).toEqual(['data/inside', 'data/dangling', 'p/q/top']);
  });

  it('leaves submodules out', async () => {
    box.git('repo', 'update-index', '--add', '--cacheinfo', `160000,${await repository.commitOf('HEAD')},vendor/lib`);
    box.git('repo', 'commit', '--quiet', '--message', 'x');
    await repository.exportTree('HEAD', box.path('out'));
    expect(exported()).toEqual(['README.md', 'data/a.yml']);
  });

  it('with many files comes in several portions', async () => {
    const files = Array.from({ length: 2300 }, (_, n): [string, string] => [`many/${n}.yml`, `n: ${n}\n`]);
    box.commit('repo', 'many', Object.fromEntries(files));
    await repository.exportTree('HEAD', box.path('out'), ['many']);
    expect(exported()).toHaveLength(files.length);
    for (const [path, content] of files) expect(readFileSync(box.path('out', path), 'utf8')).toBe(content);
  });

  it('is not written over what is there', async () => {
    box.write('out', 'mine', 'x');
    await expect(repository.exportTree('HEAD', box.path('out'))).rejects.toMatchObject({ code: 'FOLDER_NOT_EMPTY' });
    expect(exported()).toEqual(['mine']);
  });
});

function existsLink(path: string): boolean {
  return existsSync(path) || lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
