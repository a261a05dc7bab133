import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Bundle, buildBundle, bundleText, sha256 } from './build-bundle.ts';

const DATAFILE = '$schema: /app-1.yml\nname: café\nold: yes\nmode: 0755\nday: 2024-01-31\n';
const FILES = {
  'data/apps/a.yml': DATAFILE,
  'data/b.json': '{"$schema": "/app-1.yml", "10": 1, "9": 2}',
  'data/.hidden.yml': 'a: 1',
  'data/README.md': 'not data',
  'resources/r.yaml': '---\n$schema: /res-1.yml\n{{ template }}\n',
  'resources/notes.txt': '$schema: /res-1.yml\n',
  'schemas/app-1.yml': '$schema: /metaschema-1.json\nproperties: { $schema: { type: string } }\n',
  'schemas/loose-1.yml': 'a:\n  b: {\n    c: [\n  1\n  ]\n  }\n',
  'schemas/common-1.json': '{"definitions": {}}',
  'graphql-schemas/schema.yml': 'confs: [{ name: Query, fields: [{ name: a, type: string, isList: True }] }]\n',
};

let root: string;
let bundle: Bundle;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'build-bundle-'));
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  bundle = buildBundle(root, { gitCommit: 'abc', gitCommitTimestamp: '1700000000' });
});

afterAll(() => rmSync(root, { recursive: true }));

test('datafiles are parsed as YAML 1.1, dates kept as text, with the checksum of their bytes', () => {
  expect(Object.keys(bundle.data)).toEqual(['/apps/a.yml', '/b.json']);
  expect(bundle.data['/apps/a.yml']).toEqual({
    $schema: '/app-1.yml',
    name: 'café',
    old: true,
    mode: 493,
    day: '2024-01-31',
    $file_sha256sum: sha256(DATAFILE),
  });
});

test('resources are text, with a schema only where YAML declares one', () => {
  expect(bundle.resources['/r.yaml']).toMatchObject({ path: '/r.yaml', $schema: '/res-1.yml', backrefs: [] });
  const content = FILES['resources/notes.txt'];
  expect(bundle.resources['/notes.txt']).toEqual({
    path: '/notes.txt',
    content,
    $schema: null,
    sha256sum: sha256(content),
    backrefs: [],
  });
});

test('datafile schemas allow the injected checksum, others are left alone', () => {
  expect(bundle.schemas['/app-1.yml']?.properties).toHaveProperty('$file_sha256sum', { type: 'string' });
  expect(bundle.schemas['/common-1.json']).toEqual({ definitions: {} });
  expect(bundle.graphql).toHaveProperty('confs.0.fields.0.isList', true);
});

test('flow collections may close at the indentation of their key', () => {
  expect(bundle.schemas['/loose-1.yml']).toEqual({ a: { b: { c: [1] } } });
});

test('the text is compact, sorted, ASCII and ends in a newline', () => {
  const text = bundleText(bundle);
  expect(JSON.parse(text)).toEqual(bundle);
  expect(text.startsWith('{"data":{"/apps/a.yml":{"$file_sha256sum":')).toBe(true);
  expect(text.endsWith('}\n')).toBe(true);
  expect(text).toContain('"10":1,"9":2');
  expect(text).toContain('"caf\\u00e9"');
});

test('an absent folder is an empty part', () => {
  const empty = buildBundle(join(root, 'nowhere'));
  expect(empty).toMatchObject({ data: {}, resources: {}, schemas: {}, graphql: { confs: [] } });
});
