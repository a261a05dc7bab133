import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeWorkingTree } from '../../clients/git/index.ts';
import { openInstance, type SourceParts } from './open-instance.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'echelon-open-'));
  mkdirSync(join(root, 'data'));
  writeFileSync(join(root, 'bundle.json'), '{"data": {"/a.yml": {}}}');
});

afterEach(() => rmSync(root, { recursive: true }));

const PARTS: SourceParts = {
  workingTree: { describe: describeWorkingTree },
  server: (url) => ({
    name: `server of ${url}`,
    latest: () => Promise.reject(new Error('not asked')),
    commitOf: () => Promise.reject(new Error('not asked')),
    query: () => Promise.reject(new Error('not asked')),
    pause: () => Promise.resolve(),
  }),
};

describe('the name of an instance', () => {
  it.each([
    { given: 'a folder', path: '', kind: 'directory' },
    { given: 'a folder with a slash', path: '/', kind: 'directory' },
    { given: 'a link to a folder', path: '/folder-link', kind: 'directory' },
    { given: 'a file', path: '/bundle.json', kind: 'bundle' },
    { given: 'a link to a file', path: '/file-link', kind: 'bundle' },
  ])('that is $given opens a $kind', async ({ path, kind }) => {
    symlinkSync('.', join(root, 'folder-link'));
    symlinkSync('bundle.json', join(root, 'file-link'));
    const source = openInstance(`${root}${path}`, PARTS);
    expect(source.origin).toBe(`${root}${path}`);
    expect(await source.load()).toMatchObject({ kind, origin: `${root}${path}` });
  });

  it.each(['https://qontract.example.com/graphql', 'http://127.0.0.1:4000', 'HTTPS://Example.com'])(
    'that is %s opens a server',
    (url) => {
      expect(openInstance(url, PARTS).origin).toBe(`server of ${url}`);
    },
  );

  it.each([
    { given: 'of nothing', path: '/nowhere' },
    { given: 'below a file', path: '/bundle.json/data' },
    { given: 'of a link to nothing', path: '/broken' },
    { given: 'of a link to itself', path: '/loop' },
    { given: 'that is too long', path: `/${'x'.repeat(5000)}` },
    { given: 'that no file can have', path: '/a\0b' },
  ])('$given is refused', ({ path }) => {
    symlinkSync('nowhere', join(root, 'broken'));
    symlinkSync('loop', join(root, 'loop'));
    expect(refusal(`${root}${path}`)).toMatchObject({
      name: 'EchelonError',
      code: 'INSTANCE_NOT_FOUND',
      message: `${root}${path} does not exist`,
      hint: 'pass the root of a data repository, a bundle file or a qontract-server URL with --data or ECHELON_DATA',
    });
  });

  it.each([
    { name: '', says: ' does not exist' },
    { name: '/dev/null', says: '/dev/null is neither a folder nor a file' },
    { name: 'ftp://example.com', says: 'ftp://example.com does not exist' },
  ])('$name is refused', ({ name, says }) => {
    expect(refusal(name)).toMatchObject({ code: 'INSTANCE_NOT_FOUND', message: says });
  });

  it('is looked at before it is loaded', () => {
    expect(() => openInstance('htps://user:hunter2@example.com', PARTS)).toThrow('htps://example.com does not exist');
    expect(() => openInstance(join(root, 'nowhere'), PARTS)).toThrow('does not exist');
  });
});

function refusal(name: string): unknown {
  try {
    return openInstance(name, PARTS);
  } catch (thrown) {
    return thrown;
  }
}
