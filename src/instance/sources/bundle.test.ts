import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Snapshot } from '../snapshot.ts';
import { bundleSource, MAX_BUNDLE_BYTES } from './bundle.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'echelon-bundle-'));
  file = join(folder, 'bundle.json');
});

afterEach(() => rmSync(folder, { recursive: true }));

function load(text: string): Promise<Snapshot> {
  writeFileSync(file, text);
  return bundleSource(file).load();
}

const BUNDLE = {
  data: {
    '/b.yml': { $schema: '/b-1.yml', name: 'b', $file_sha256sum: '12' },
    '/a.yml': { name: 'a', list: [{ __identifier: 'x', name: 'y', deep: { $file_sha256sum: '3', ok: [null, 0] } }] },
  },
  resources: { '/r.txt': { path: '/r.txt', content: 'text' } },
  schemas: { '/b-1.yml': { type: 'object' } },
  graphql: { confs: [] },
  git_commit: 'c0ffee'.padEnd(40, '0'),
  git_commit_timestamp: '0',
};

describe('a bundle', () => {
  it('is its datafiles by path, without what the bundler added', async () => {
    const snapshot = await load(JSON.stringify(BUNDLE));
    expect(snapshot).toMatchObject({
      origin: file,
      kind: 'bundle',
      problems: [],
      unreadable: new Set(),
      env: new Map(),
    });
    expect([...snapshot.datafiles]).toEqual([
      ['/a.yml', { path: '/a.yml', content: { name: 'a', list: [{ name: 'y', deep: { ok: [null, 0] } }] } }],
      ['/b.yml', { path: '/b.yml', schema: '/b-1.yml', content: { $schema: '/b-1.yml', name: 'b' } }],
    ]);
  });

  it('lists its resources and schemas and keeps no texts', async () => {
    const snapshot = await load(JSON.stringify(BUNDLE));
    expect(snapshot.resources).toEqual(new Set(['/r.txt']));
    expect(snapshot.schemas).toEqual(new Map([['/b-1.yml', { type: 'object' }]]));
    expect(snapshot.text('/a.yml')).toBeUndefined();
  });

  it('is known by the SHA-256 of its text', async () => {
    const text = `${JSON.stringify(BUNDLE)}\n`;
    const sha256 = createHash('sha256').update(text).digest('hex');
    expect((await load(text)).revision).toEqual({ id: sha256.slice(0, 12), sha256, commit: BUNDLE.git_commit });
    expect((await load(`${text} `)).revision.sha256).not.toBe(sha256);
  });

  it.each([
    { given: 'no commit', bundle: { data: {} } },
    { given: 'an empty commit', bundle: { data: {}, git_commit: '' } },
    { given: 'a commit that is no text', bundle: { data: {}, git_commit: 7 } },
  ])('with $given has none', async ({ bundle }) => {
    expect((await load(JSON.stringify(bundle))).revision).not.toHaveProperty('commit');
  });

  it.each([
    { given: 'only data', bundle: { data: {} } },
    { given: 'lists in place of the rest', bundle: { data: {}, resources: [], schemas: [] } },
    { given: 'null in place of the rest', bundle: { data: {}, resources: null, schemas: null } },
  ])('with $given is read', async ({ bundle }) => {
    const snapshot = await load(JSON.stringify(bundle));
    expect([snapshot.datafiles.size, snapshot.problems]).toEqual([0, []]);
    expect(snapshot).not.toHaveProperty('resources');
    expect(snapshot).not.toHaveProperty('schemas');
  });

  it('may begin with a byte order mark', async () => {
    expect((await load(`\ufeff${JSON.stringify(BUNDLE)}`)).datafiles.size).toBe(2);
  });

  it.each([null, [], 'text', 7, true])('with a datafile that is %j tells it and reads the others', async (content) => {
    const snapshot = await load(JSON.stringify({ data: { '/bad.yml': content, '/ok.yml': {} } }));
    expect([...snapshot.datafiles.keys()]).toEqual(['/ok.yml']);
    expect(snapshot.unreadable).toEqual(new Set(['/bad.yml']));
    expect(snapshot.problems).toEqual([
      {
        rule: 'not-a-mapping',
        severity: 'error',
        file: 'data/bad.yml',
        message: 'the datafile is not a mapping',
        hint: 'a datafile is a mapping that begins with $schema',
      },
    ]);
  });

  it('with keys __proto__ changes no prototype', async () => {
    const snapshot = await load('{"data": {"__proto__": {"__proto__": {"polluted": 1}}}}');
    expect([...snapshot.datafiles.keys()]).toEqual(['__proto__']);
    expect(Object.keys(snapshot.datafiles.get('__proto__')?.content ?? {})).toEqual(['__proto__']);
    expect('polluted' in {}).toBe(false);
  });

  it('has the content that went in, whatever it is', async () => {
    const plain = fc.jsonValue().filter((value) => !/\$file_sha256sum|__identifier/.test(JSON.stringify(value)));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.dictionary(fc.string(), plain)), async (data) => {
        const { datafiles } = await load(JSON.stringify({ data }));
        const read = [...datafiles.values()].map(({ path, content }) => [path, content]);
        expect(read).toEqual(JSON.parse(JSON.stringify(Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1)))));
      }),
      { numRuns: 50 },
    );
  });
});

describe('what is no bundle is refused', () => {
  const whole = JSON.stringify(BUNDLE);

  it.each([
    { given: 'nothing', text: '' },
    { given: 'a text that was not written to its end', text: whole.slice(0, -10) },
    { given: 'YAML', text: 'data: {}\n' },
    { given: 'HTML', text: '<html></html>' },
    { given: 'two bundles', text: `${whole}\n${whole}` },
  ])('when it is $given', async ({ text }) => {
    await expect(load(text)).rejects.toMatchObject({
      name: 'EchelonError',
      code: 'BUNDLE_INVALID',
      message: expect.stringContaining(`${file} is not JSON: `),
      hint: 'pass the JSON file that the bundler wrote, and check that it is complete',
    });
  });

  it.each(['null', '[]', '"data"', '7', '{}', '{"data": null}', '{"data": []}', '{"data": "x"}', '{"Data": {}}'])(
    'when it is %s',
    async (text) => {
      await expect(load(text)).rejects.toMatchObject({
        code: 'BUNDLE_INVALID',
        message: `${file} is not a bundle: it has no object "data"`,
        hint: expect.stringContaining('pass the JSON file'),
      });
    },
  );

  it('when it was cut anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: whole.length - 1 }), async (length) => {
        await expect(load(whole.slice(0, length))).rejects.toMatchObject({ code: 'BUNDLE_INVALID' });
      }),
      { numRuns: 50 },
    );
  });

  it('in a message that does not repeat the text at length', async () => {
    const refused = load(`{"data": {"/a.yml": {"password": "${'x'.repeat(1000)}" oops`);
    await expect(refused).rejects.toSatisfy((error: Error) => error.message.length < file.length + 150);
  });

  it('when it is larger than the runtime can hold', async () => {
    writeFileSync(file, '');
    truncateSync(file, MAX_BUNDLE_BYTES + 1);
    await expect(bundleSource(file).load()).rejects.toMatchObject({
      code: 'BUNDLE_TOO_LARGE',
      message: `${file} has 500.0 MiB; the limit for a bundle is 500.0 MiB`,
      hint: 'use a directory or a qontract-server instead',
    });
  });
});
