import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { type FolderChanges, type FolderOptions, writeFolder } from './output-folder.ts';

const LEDGER = '.echelon-render.json';

let parent: string;
let folder: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'echelon-output-'));
  folder = join(parent, 'out');
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

type Texts = Readonly<Record<string, string>>;

const write = (files: Texts, options?: FolderOptions): FolderChanges =>
  writeFolder(folder, new Map(Object.entries(files)), options);

function put(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

/** Every file but the ledger, by its path. */
function held(root = folder): Texts {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1)).sort();
  return Object.fromEntries(
    paths.filter((path) => path !== LEDGER).map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  );
}

const NO_CHANGE: FolderChanges = { written: [], unchanged: [], removed: [], kept: [], refused: 0 };

describe('a folder that is written to', () => {
  it('is made, with its folders', () => {
    expect(write({ 'c/ns/a.yaml': 'A', 'c/ns/b.yaml': 'B' })).toEqual({
      ...NO_CHANGE,
      written: ['c/ns/a.yaml', 'c/ns/b.yaml'],
    });
    expect(held()).toEqual({ 'c/ns/a.yaml': 'A', 'c/ns/b.yaml': 'B' });
  });

  it('is left as it is when nothing changed: also the times of its files', () => {
    write({ 'c/a.yaml': 'A' });
    const files = ['c/a.yaml', LEDGER].map((file) => join(folder, file));
    for (const file of files) utimesSync(file, 1000, 1000);
    expect(write({ 'c/a.yaml': 'A' })).toEqual({ ...NO_CHANGE, unchanged: ['c/a.yaml'] });
    expect(files.map((file) => statSync(file).mtimeMs)).toEqual([1_000_000, 1_000_000]);
  });

  it('gets what differs, and nothing else is touched', () => {
    write({ a: 'A', b: 'B' });
    utimesSync(join(folder, 'a'), 1000, 1000);
    expect(write({ a: 'A', b: 'B2', c: 'C' })).toEqual({ ...NO_CHANGE, written: ['b', 'c'], unchanged: ['a'] });
    expect(held()).toEqual({ a: 'A', b: 'B2', c: 'C' });
    expect(statSync(join(folder, 'a')).mtimeMs).toBe(1_000_000);
  });

  it('gets back what somebody edited or removed, as long as it is wanted', () => {
    write({ a: 'A', b: 'B' });
    put('a', 'edited');
    rmSync(join(folder, 'b'));
    expect(write({ a: 'A', b: 'B' }).written).toEqual(['a', 'b']);
    expect(held()).toEqual({ a: 'A', b: 'B' });
  });

  it('holds no unfinished files', () => {
    write({ a: 'A', 'b/c': 'C' });
    expect(readdirSync(folder, { recursive: true }).map(String).sort()).toEqual([LEDGER, 'a', 'b', 'b/c']);
  });
});

describe('what is stale', () => {
  it('is removed, with the folders that it leaves empty', () => {
    write({ 'old/ns/a': 'A', 'old/ns/b': 'B', 'c/a': 'A' });
    expect(write({ 'c/a': 'A' })).toEqual({ ...NO_CHANGE, unchanged: ['c/a'], removed: ['old/ns/a', 'old/ns/b'] });
    expect(readdirSync(folder).sort()).toEqual([LEDGER, 'c']);
  });

  it('leaves a folder that holds something else', () => {
    write({ 'old/ns/a': 'A' });
    put('old/README', 'mine');
    write({});
    expect(held()).toEqual({ 'old/README': 'mine' });
    expect(existsSync(join(folder, 'old/ns'))).toBe(false);
  });

  it('and edited by somebody else stays, is told, and is foreign from then on', () => {
    write({ a: 'A', b: 'B' });
    put('a', 'edited');
    expect(write({ b: 'B' })).toEqual({ ...NO_CHANGE, unchanged: ['b'], kept: ['a'] });
    expect(write({ b: 'B' })).toEqual({ ...NO_CHANGE, unchanged: ['b'] });
    expect(held()).toEqual({ a: 'edited', b: 'B' });
  });

  it('and gone already is nothing to tell', () => {
    write({ 'x/a': 'A' });
    rmSync(join(folder, 'x'), { recursive: true });
    expect(write({})).toEqual(NO_CHANGE);
  });

  it('and a folder by now stays', () => {
    write({ a: 'A' });
    rmSync(join(folder, 'a'));
    put('a/mine', 'M');
    expect(write({})).toEqual({ ...NO_CHANGE, kept: ['a'] });
    expect(held()).toEqual({ 'a/mine': 'M' });
  });
});

describe('what is foreign', () => {
  it('is not touched, also when it looks like ours', () => {
    put('README', 'mine');
    put('c/ns/deployment-mine.yaml', 'mine');
    write({ 'c/ns/a': 'A' });
    write({});
    expect(held()).toEqual({ README: 'mine', 'c/ns/deployment-mine.yaml': 'mine' });
  });
});

describe('an incomplete view', () => {
  it('keeps what could not be rendered, and removes it when it is known to be gone', () => {
    write({ 'one/a': 'A', 'two/b': 'B', 'two/c': 'C' });
    expect(write({ 'two/b': 'B' }, { keep: (file) => file.startsWith('one/') })).toEqual({
      ...NO_CHANGE,
      unchanged: ['two/b'],
      removed: ['two/c'],
    });
    expect(held()).toEqual({ 'one/a': 'A', 'two/b': 'B' });
    expect(write({ 'two/b': 'B' }).removed).toEqual(['one/a']);
  });

  it('still writes what is new', () => {
    write({ a: 'A' });
    expect(write({ b: 'B' }, { keep: () => true })).toEqual({ ...NO_CHANGE, written: ['b'] });
    expect(held()).toEqual({ a: 'A', b: 'B' });
  });
});

describe('a render of less than everything', () => {
  const stage = { scope: { environment: 'stage' } };
  const live = { scope: { environment: 'live' } };

  it.each([
    { given: 'another environment', first: stage, second: live, removed: [] },
    { given: 'the same environment', first: stage, second: stage, removed: ['a'] },
    { given: 'everything', first: stage, second: {}, removed: ['a'] },
    { given: 'one environment after everything', first: {}, second: stage, removed: [] },
    { given: 'another upstream', first: stage, second: { scope: { ...stage.scope, upstream: 'u' } }, removed: [] },
    { given: 'any upstream', first: { scope: { ...stage.scope, upstream: 'u' } }, second: stage, removed: ['a'] },
  ])('$given: removes $removed', ({ first, second, removed }) => {
    write({ a: 'A' }, first);
    expect(write({ b: 'B' }, second).removed).toEqual(removed);
    expect('a' in held()).toBe(removed.length === 0);
  });

  it('remembers what others wrote: they remove it when it is stale', () => {
    write({ a: 'A' }, stage);
    write({ b: 'B' }, live);
    expect(write({}, stage).removed).toEqual(['a']);
    expect(held()).toEqual({ b: 'B' });
  });
});

describe('a ledger that is not as it was written', () => {
  const SHA = '6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b';

  it.each([
    { given: 'leads out of the folder', text: `{"files":{"../x":{"sha256":"${SHA}"}}}` },
    { given: 'leads out by way of a folder', text: `{"files":{"a/../../x":{"sha256":"${SHA}"}}}` },
    { given: 'is absolute', text: `{"files":{"/x":{"sha256":"${SHA}"}}}` },
    { given: 'is not JSON', text: '{' },
    { given: 'is empty', text: '' },
    { given: 'is a list', text: '[]' },
    { given: 'has no files', text: '{}' },
    { given: 'has null', text: 'null' },
    { given: 'has null for a file', text: '{"files":{"a":null}}' },
    { given: 'has bare hashes', text: `{"files":{"a":"${SHA}"}}` },
    { given: 'has numbers for hashes', text: '{"files":{"a":{"sha256":1}}}' },
  ])('$given: nothing is written or removed', ({ text }) => {
    put('a', '1');
    writeFileSync(join(parent, 'x'), '1');
    put(LEDGER, text);
    expect(() => write({ b: 'B' })).toThrow(expect.objectContaining({ code: 'LEDGER_INVALID' }));
    expect(held(parent)).toEqual({ [`out/${LEDGER}`]: text, 'out/a': '1', x: '1' });
  });

  it('lists what it did not write: only what is to the letter as listed goes', () => {
    put('a', 'not 1');
    put(LEDGER, `{"files":{"a":{"sha256":"${SHA}"},"absent":{"sha256":"${SHA}"}}}`);
    expect(write({})).toEqual({ ...NO_CHANGE, kept: ['a'] });
  });

  it('is not there: nothing stale is removed', () => {
    write({ a: 'A' });
    rmSync(join(folder, LEDGER));
    expect(write({ b: 'B' })).toEqual({ ...NO_CHANGE, written: ['b'] });
    expect(held()).toEqual({ a: 'A', b: 'B' });
  });
});

describe('after any renders', () => {
  it('the folder holds the last, and what is foreign', () => {
    const file = fc.constantFrom('a', 'b', 'c/d', 'c/e', 'f/g/h');
    const renders = fc.array(fc.dictionary(file, fc.constantFrom('', '1', '2')), { minLength: 1, maxLength: 6 });
    holds(
      fc.property(renders, (all) => {
        rmSync(folder, { recursive: true, force: true });
        put('f/foreign', 'mine');
        for (const files of all) write(files);
        expect(held()).toEqual({ ...all.at(-1), 'f/foreign': 'mine' });
      }),
    );
  });
});
