import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeWorkingTree } from '../../clients/git/index.ts';
import type { LoadOptions, Snapshot } from '../snapshot.ts';
import { directorySource, parseEnvFile, type WorkingTree } from './directory.ts';

const WORKING_TREE = { describe: describeWorkingTree };
const NO_REPOSITORY: WorkingTree = { describe: async () => undefined };

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'echelon-directory-'));
  mkdirSync(join(root, 'data'));
});

afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...identity, ...args], { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
}

function commitAll(): string {
  git('add', '--all', '--force');
  git('commit', '--quiet', '--message', 'x');
  return git('rev-parse', 'HEAD');
}

function load(options?: LoadOptions, workingTree = NO_REPOSITORY): Promise<Snapshot> {
  return directorySource(root, workingTree).load(options);
}

describe('what is read from a directory', () => {
  it('is its data, its resources and its .env', async () => {
    write('data/apps/a.yml', '$schema: /app-1.yml\nname: a\n');
    write('data/b.json', '{"$schema": 7}');
    write('resources/x/y.txt', 'text');
    write('.env', 'export IMAGE_TAG=abc\n');
    const snapshot = await load();
    expect(snapshot).toMatchObject({ origin: root, kind: 'directory', problems: [] });
    expect([...snapshot.datafiles.values()]).toEqual([
      { path: '/apps/a.yml', schema: '/app-1.yml', content: { $schema: '/app-1.yml', name: 'a' } },
      { path: '/b.json', content: { $schema: 7 } },
    ]);
    expect([...(snapshot.resources ?? [])]).toEqual(['/x/y.txt']);
    expect([...snapshot.env]).toEqual([['IMAGE_TAG', 'abc']]);
    expect(snapshot.unreadable).toEqual(new Set());
  });

  it('are datafiles by their extension, in the order of their paths', async () => {
    const names = ['c.yaml', 'b.yml', 'a.json', 'd.YML', 'e.md', 'f', 'g.yml.bak', '.h.yml', '.i/j.yml', 'k.yml/l.yml'];
    for (const name of names) write(`data/${name}`, '{}');
    expect([...(await load()).datafiles.keys()]).toEqual(['/a.json', '/b.yml', '/c.yaml', '/k.yml/l.yml']);
  });

  it('are resources of every name but hidden ones', async () => {
    for (const name of ['a', 'b.yml', 'c/d.md', '.e', '.f/g']) write(`resources/${name}`, '');
    expect([...((await load()).resources ?? [])]).toEqual(['/a', '/b.yml', '/c/d.md']);
  });

  it('may be nothing', async () => {
    const snapshot = await load();
    expect([snapshot.datafiles.size, snapshot.resources?.size, snapshot.env.size]).toEqual([0, 0, 0]);
    expect(snapshot.problems).toEqual([]);
  });

  it('is told while it is read, and ended by a signal', async () => {
    for (let index = 0; index < 260; index += 1) write(`data/${index}.yml`, '{}');
    write('resources/a', '');
    const told: string[] = [];
    await load({ onProgress: (done) => told.push(done) });
    expect(told).toEqual(['read 0 of 260 datafiles', 'read 250 of 260 datafiles', 'read 0 of 1 resources']);
    const controller = new AbortController();
    const ended = load({ signal: controller.signal, onProgress: () => controller.abort(new Error('stopped')) });
    await expect(ended).rejects.toThrow('stopped');
  });
});

describe('a directory without a folder data', () => {
  it.each([
    { given: 'nothing in it', arrange: () => undefined },
    { given: 'a file of that name', arrange: () => writeFileSync(join(root, 'data'), 'x') },
    { given: 'a link to nothing', arrange: () => symlinkSync('nowhere', join(root, 'data')) },
    { given: 'a link to itself', arrange: () => symlinkSync('data', join(root, 'data')) },
  ])('is refused with $given', async ({ arrange }) => {
    rmSync(join(root, 'data'), { recursive: true });
    arrange();
    await expect(load()).rejects.toMatchObject({
      name: 'EchelonError',
      code: 'INSTANCE_NOT_FOUND',
      message: `no folder data/ in ${root}`,
      hint: expect.stringContaining('pass the root of a data repository'),
    });
  });
});

describe('one bad file never stops the others', () => {
  it.each([
    { given: 'broken YAML', content: 'a: b: c\n', rule: 'yaml-syntax' },
    { given: 'two documents', content: 'a: 1\n---\nb: 2\n', rule: 'yaml-syntax' },
    { given: 'a list', content: '- a\n', rule: 'not-a-mapping' },
    { given: 'nothing', content: '', rule: 'empty-file' },
    { given: 'no text', content: Buffer.of(0xff, 0xfe, 0), rule: 'not-utf8' },
    { given: 'a cycle', content: 'a: &a [*a]\n', rule: 'yaml-aliases' },
    { given: 'too many bytes', content: Buffer.alloc(17 * 1024 * 1024, '#'), rule: 'file-too-large' },
  ])('with $given', async ({ content, rule }) => {
    write('data/a.yml', 'ok: 1\n');
    write('data/bad.yml', content);
    write('data/z.yml', 'ok: 2\n');
    const snapshot = await load();
    expect([...snapshot.datafiles.keys()]).toEqual(['/a.yml', '/z.yml']);
    expect(snapshot.unreadable).toEqual(new Set(['/bad.yml']));
    expect(snapshot.problems).toEqual([expect.objectContaining({ rule, severity: 'error', file: 'data/bad.yml' })]);
  });

  it('with a key that stands twice it is read all the same', async () => {
    write('data/a.yml', 'a: 1\na: 2\n');
    const { datafiles, unreadable, problems } = await load();
    expect(datafiles.get('/a.yml')?.content).toEqual({ a: 2 });
    expect(unreadable.size).toBe(0);
    expect(problems).toMatchObject([{ rule: 'duplicate-key', file: 'data/a.yml', line: 2, column: 1 }]);
  });

  it.skipIf(process.getuid?.() === 0)('with files that may not be read', async () => {
    for (const path of ['data/a.yml', 'data/bad.yml', 'resources/r', '.env']) write(path, '{}');
    for (const path of ['data/bad.yml', 'resources/r', '.env']) chmodSync(join(root, path), 0o000);
    const snapshot = await load();
    expect([...snapshot.datafiles.keys()]).toEqual(['/a.yml']);
    expect(snapshot.problems.map(({ rule, file }) => `${rule} ${file}`)).toEqual([
      'unreadable-file data/bad.yml',
      'unreadable-file resources/r',
      'unreadable-file .env',
    ]);
  });

  it('with a resource of more bytes than can be read', async () => {
    write('resources/large', '');
    truncateSync(join(root, 'resources/large'), 3 * 1024 ** 3);
    write('resources/small', '');
    const { resources, problems } = await load();
    expect([...(resources ?? [])]).toEqual(['/large', '/small']);
    expect(problems).toMatchObject([{ rule: 'unreadable-file', severity: 'error', file: 'resources/large' }]);
  });

  it.each([
    { given: 'a folder', arrange: () => mkdirSync(join(root, '.env')), rule: 'unreadable-file' },
    {
      given: 'a link that leaves',
      arrange: () => symlinkSync('/etc/passwd', join(root, '.env')),
      rule: 'symlink-outside',
    },
    { given: 'a link to nothing', arrange: () => symlinkSync('nowhere', join(root, '.env')), rule: 'symlink-broken' },
  ])('with a .env that is $given', async ({ arrange, rule }) => {
    arrange();
    const { env, problems } = await load();
    expect(env.size).toBe(0);
    expect(problems).toMatchObject([{ rule, file: '.env' }]);
  });

  it('with lines of .env that are not of the form', async () => {
    write('.env', '\ufeffexport A=1\r\nB=2\r\n');
    const { env, problems } = await load();
    expect([...env]).toEqual([['A', '1']]);
    expect(problems).toMatchObject([{ rule: 'env-file', file: '.env', line: 2 }]);
  });

  it('with a file in place of the folder resources', async () => {
    write('resources', 'x');
    expect((await load()).problems).toMatchObject([{ rule: 'unreadable-file', file: 'resources' }]);
  });
});

describe('symbolic links', () => {
  it('inside data are read under both paths', async () => {
    write('data/a.yml', 'a: 1\n');
    symlinkSync('a.yml', join(root, 'data/b.yml'));
    const { datafiles, problems } = await load();
    expect([...datafiles.values()].map(({ path, content }) => [path, content])).toEqual([
      ['/a.yml', { a: 1 }],
      ['/b.yml', { a: 1 }],
    ]);
    expect(problems).toEqual([]);
  });

  it.each([
    { given: 'to a resource', target: '../resources/secret.yml', rule: 'symlink-outside' },
    { given: 'to a file of the machine', target: '/etc/passwd', rule: 'symlink-outside' },
    { given: 'to nothing', target: 'nowhere.yml', rule: 'symlink-broken' },
    { given: 'to itself', target: 'link.yml', rule: 'symlink-broken' },
    { given: 'to a folder', target: '.', rule: 'symlink-folder' },
  ])('$given are told and not read, and a reference to them is not dangling', async ({ target, rule }) => {
    write('data/a.yml', '{}');
    write('resources/secret.yml', 'a: secret\n');
    symlinkSync(target, join(root, 'data/link.yml'));
    const snapshot = await load();
    expect([...snapshot.datafiles.keys()]).toEqual(['/a.yml']);
    expect(snapshot.unreadable).toEqual(new Set(['/link.yml']));
    expect(snapshot.problems).toEqual([expect.objectContaining({ rule, file: 'data/link.yml' })]);
    expect(Object.keys(snapshot.problems[0] ?? {})).not.toContain('path');
    expect(snapshot.text('/link.yml')).toBeUndefined();
  });

  it('that leave resources are told and not read', async () => {
    write('resources/a', '');
    symlinkSync('/etc/passwd', join(root, 'resources/b'));
    const { resources, problems } = await load();
    expect([...(resources ?? [])]).toEqual(['/a']);
    expect(problems).toMatchObject([{ rule: 'symlink-outside', file: 'resources/b' }]);
  });
});

describe('the text of a datafile', () => {
  it('is kept without its byte order mark while the file is as it was read', async () => {
    write('data/a.yml', '\ufeffa: 1\r\n');
    const snapshot = await load();
    expect(snapshot.text('/a.yml')).toBe('a: 1\r\n');
    write('data/a.yml', 'a: 2\n');
    expect(snapshot.text('/a.yml')).toBeUndefined();
    rmSync(join(root, 'data/a.yml'));
    expect(snapshot.text('/a.yml')).toBeUndefined();
  });

  it('is kept of a broken file too, and of no other file', async () => {
    write('data/bad.yml', 'a: b: c\n');
    write('secret.yml', 'a: 1\n');
    const snapshot = await load();
    expect(snapshot.text('/bad.yml')).toBe('a: b: c\n');
    expect(snapshot.text('/../secret.yml')).toBeUndefined();
  });
});

describe('the revision', () => {
  it('outside a repository is told by the content', async () => {
    write('data/a.yml', 'a: 1\n');
    const { revision } = await load({}, WORKING_TREE);
    expect(revision).toEqual({ id: `content.${revision.sha256.slice(0, 8)}`, sha256: revision.sha256 });
    expect(revision.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('of a repository without a commit is told by the content', async () => {
    git('init', '--quiet');
    expect((await load({}, WORKING_TREE)).revision.id).toMatch(/^content\.[0-9a-f]{8}$/);
  });

  it('of a clean commit is the commit', async () => {
    write('data/a.yml', 'a: 1\n');
    git('init', '--quiet');
    const commit = commitAll();
    const { revision } = await load({}, WORKING_TREE);
    expect(revision).toEqual({ id: commit.slice(0, 7), sha256: revision.sha256, commit, dirty: false });
  });

  it.each([
    { given: 'an edited datafile', arrange: () => write('data/a.yml', 'a: 2\n') },
    { given: 'a new datafile', arrange: () => write('data/b/c.yml', 'a: 2\n') },
    { given: 'a removed datafile', arrange: () => rmSync(join(root, 'data/a.yml')) },
    { given: 'an edited resource', arrange: () => write('resources/r', '2') },
    { given: 'an edited .env', arrange: () => write('.env', 'export A=2\n') },
    { given: 'a staged removal', arrange: () => git('rm', '--quiet', 'data/a.yml') },
  ])('with $given is the commit and the content', async ({ arrange }) => {
    write('data/a.yml', 'a: 1\n');
    write('data/z.yml', 'a: 1\n');
    write('resources/r', '1');
    write('.env', 'export A=1\n');
    git('init', '--quiet');
    const commit = commitAll();
    const before = (await load({}, WORKING_TREE)).revision;
    arrange();
    const { revision } = await load({}, WORKING_TREE);
    expect(revision).toEqual({
      id: `${commit.slice(0, 7)}+dirty.${revision.sha256.slice(0, 8)}`,
      sha256: revision.sha256,
      commit,
      dirty: true,
    });
    expect(revision.sha256).not.toBe(before.sha256);
  });

  it('stays clean when something else in the repository changes', async () => {
    write('data/a.yml', 'a: 1\n');
    git('init', '--quiet');
    const commit = commitAll();
    write('README.md', 'x');
    expect((await load({}, WORKING_TREE)).revision).toMatchObject({ id: commit.slice(0, 7), dirty: false });
  });

  it('of a directory below the root of its repository is that of its own files', async () => {
    write('instance/data/a.yml', 'a: 1\n');
    git('init', '--quiet');
    const commit = commitAll();
    write('data/other.yml', 'a: 1\n');
    const { revision } = await directorySource(join(root, 'instance'), WORKING_TREE).load();
    expect(revision).toMatchObject({ id: commit.slice(0, 7), dirty: false });
  });
});

describe('the content of a directory', () => {
  type Files = Readonly<Record<string, string>>;
  const FILES: Files = {
    'data/a.yml': 'a: 1\n',
    'data/b/c.json': '{"a": 1}',
    'resources/r.txt': 'text',
    '.env': 'export A=1\n',
  };

  async function shaOf(files: Iterable<readonly [string, string]>): Promise<string> {
    for (const folder of ['data', 'resources', '.env']) rmSync(join(root, folder), { recursive: true, force: true });
    mkdirSync(join(root, 'data'));
    for (const [path, content] of files) write(path, content);
    return (await load()).revision.sha256;
  }

  it('has the same SHA-256 in another place and order', async () => {
    const first = await shaOf(Object.entries(FILES));
    const other = mkdtempSync(join(tmpdir(), 'echelon-directory-'));
    rmSync(root, { recursive: true });
    root = other;
    expect(await shaOf(Object.entries(FILES).toReversed())).toBe(first);
  });

  it.each<{ given: string; change: (files: Files) => Files }>([
    { given: 'a byte of YAML', change: (files) => ({ ...files, 'data/a.yml': 'a: 2\n' }) },
    { given: 'a byte that means nothing', change: (files) => ({ ...files, 'data/a.yml': 'a: 1 \n' }) },
    { given: 'a byte of JSON', change: (files) => ({ ...files, 'data/b/c.json': '{"a": 2}' }) },
    { given: 'a byte of a resource', change: (files) => ({ ...files, 'resources/r.txt': 'texT' }) },
    { given: 'a byte of .env', change: (files) => ({ ...files, '.env': 'export A=2\n' }) },
    { given: 'an empty resource', change: (files) => ({ ...files, 'resources/empty': '' }) },
    { given: 'a broken datafile', change: (files) => ({ ...files, 'data/bad.yml': '[' }) },
    { given: 'a byte of a broken datafile', change: (files) => ({ ...files, 'data/a.yml': '[' }) },
    { given: 'a datafile that is too large', change: (files) => ({ ...files, 'data/l.yml': '#'.repeat(2 ** 24 + 1) }) },
    { given: 'no .env', change: ({ '.env': _, ...rest }) => rest },
    { given: 'a file moved', change: ({ 'data/a.yml': a = '', ...rest }) => ({ ...rest, 'data/z.yml': a }) },
    {
      given: 'a file moved to resources',
      change: ({ 'data/a.yml': a = '', ...rest }) => ({ ...rest, 'resources/a.yml': a }),
    },
  ])('has another SHA-256 with $given', async ({ change }) => {
    const before = await shaOf(Object.entries(FILES));
    expect(await shaOf(Object.entries(change(FILES)))).not.toBe(before);
  });

  it.each([
    { given: 'a hidden file', path: 'data/.a.yml' },
    { given: 'another extension in data', path: 'data/a.md' },
    { given: 'a file beside', path: 'README.md' },
  ])('has the same SHA-256 with $given', async ({ path }) => {
    const before = await shaOf(Object.entries(FILES));
    write(path, 'x');
    expect((await load()).revision.sha256).toBe(before);
  });

  it('has the same SHA-256 exactly when it is the same', async () => {
    const path = fc.constantFrom('data/a.yml', 'data/b/a.yml', 'data/c.json', 'resources/a.yml', 'resources/b', '.env');
    const files = fc.dictionary(path, fc.constantFrom('', '{}', 'a: 1', 'a: 2'), { noNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(files, files, async (one, other) => {
        const [first, second] = [await shaOf(Object.entries(one)), await shaOf(Object.entries(other).toReversed())];
        expect(first === second).toBe(sorted(one) === sorted(other));
      }),
      { numRuns: 60 },
    );
  });
});

function sorted(files: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(files).toSorted());
}

describe('a folder of the instance that is a link', () => {
  it.each(['data', 'resources'])('out of it is refused: %s', async (folder) => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'echelon-elsewhere-'));
    rmSync(join(root, folder), { recursive: true, force: true });
    symlinkSync(elsewhere, join(root, folder));
    await expect(load()).rejects.toMatchObject({ code: 'INSTANCE_LINKED' });
    rmSync(elsewhere, { recursive: true });
  });

  it('inside it is read', async () => {
    rmSync(join(root, 'data'), { recursive: true });
    write('v2/a.yml', '{}');
    symlinkSync('v2', join(root, 'data'));
    expect([...(await load()).datafiles.keys()]).toEqual(['/a.yml']);
  });
});

describe('the lines of .env', () => {
  it.each([
    { given: 'one variable', text: 'export A=1\n', values: { A: '1' } },
    {
      given: 'several, with comments between',
      text: '# c\nexport A=1\n\n  # c\nexport B_2=x.y/z:1\n',
      values: { A: '1', B_2: 'x.y/z:1' },
    },
    { given: 'CRLF', text: 'export A=1\r\nexport B=2\r\n', values: { A: '1', B: '2' } },
    { given: 'blanks at the end of a line', text: 'export A=1 \t\n', values: { A: '1' } },
    { given: 'no value', text: 'export A=\n', values: { A: '' } },
    { given: 'an equals sign in the value', text: 'export A=b=c\n', values: { A: 'b=c' } },
    { given: 'a name twice', text: 'export A=1\nexport A=2\n', values: { A: '2' } },
    { given: 'a name of every object', text: 'export __proto__=1\n', values: JSON.parse('{"__proto__": "1"}') },
    { given: 'no line end', text: 'export A=1', values: { A: '1' } },
    { given: 'nothing', text: '', values: {} },
  ])('with $given', ({ text, values }) => {
    const { values: found, problems } = parseEnvFile(text);
    expect(Object.fromEntries(found)).toEqual(values);
    expect(problems).toEqual([]);
  });

  it.each([
    { given: 'no export', line: 'A=1' },
    { given: 'blanks before it', line: '  export A=1' },
    { given: 'two blanks after export', line: 'export  A=1' },
    { given: 'blanks around the sign', line: 'export A =1' },
    { given: 'a name that begins with a digit', line: 'export 1A=1' },
    { given: 'a name with a dash', line: 'export A-B=1' },
    { given: 'no sign', line: 'export A' },
    { given: 'a command', line: 'source other.env' },
    { given: 'another alphabet', line: 'export Ä=1' },
  ])('that are not of the form are told: $given', ({ line }) => {
    const { values, problems } = parseEnvFile(`export OK=1\n\n${line}\n`);
    expect([...values]).toEqual([['OK', '1']]);
    expect(problems).toEqual([
      {
        rule: 'env-file',
        severity: 'warning',
        file: '.env',
        line: 3,
        column: 1,
        message: 'the line is not of the form export KEY=VALUE',
        hint: 'use that form',
      },
    ]);
  });

  it.each([
    { given: 'double quotes', value: '"hunter2"' },
    { given: 'single quotes', value: "'hunter2'" },
    { given: 'a blank', value: 'hunter 2' },
    { given: 'a reference', value: '$hunter2' },
    { given: 'a comment', value: 'hunter2 # c' },
  ])('whose value make reads in another way are told without the value: $given', ({ value }) => {
    const { values, problems } = parseEnvFile(`export TOKEN=${value}\n`);
    expect(values.get('TOKEN')).toBe(value);
    expect(problems).toEqual([
      expect.objectContaining({ rule: 'env-file', line: 1, message: 'the value of TOKEN has quotes, blanks, $ or #' }),
    ]);
    expect(JSON.stringify(problems)).not.toContain('hunter');
  });

  it('are all accounted for: a value, a comment, a blank or a problem', () => {
    const line = fc.oneof(
      fc.string({ unit: fc.constantFrom('e', 'x', 'port', ' ', '=', 'A', '#', '"', '\t') }),
      fc.stringMatching(/^export [A-Z]=[a-z]{0,3}$/),
      fc.constant('export A=1'),
    );
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom('\n', '\r\n'), (lines, eol) => {
        const { values, problems } = parseEnvFile(lines.join(eol));
        const told = new Set(problems.map((problem) => problem.line));
        const silent = lines.filter((each, index) => !told.has(index + 1) && !/^\s*(?:#.*)?$/.test(each));
        expect(silent.every((each) => values.has(each.slice('export '.length).split('=')[0] ?? ''))).toBe(true);
      }),
    );
  });
});
