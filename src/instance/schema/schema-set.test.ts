import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EchelonError } from '../../base/index.ts';
import { readSchemas } from './schema-set.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'echelon-schemas-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function faultOf(action: () => unknown): Pick<EchelonError, 'code' | 'message'> {
  try {
    action();
  } catch (thrown) {
    if (thrown instanceof EchelonError) return { code: thrown.code, message: thrown.message };
    throw thrown;
  }
  throw new Error('nothing was thrown');
}

describe('a folder of schemas', () => {
  it('is read by path below it, YAML and JSON, and nothing else', () => {
    mkdirSync(join(folder, 'app-sre'));
    writeFileSync(join(folder, 'app-sre/a-1.yml'), 'type: object\n');
    writeFileSync(join(folder, 'app-sre/b-1.yaml'), 'type: array\n');
    writeFileSync(join(folder, 'common-1.json'), '{"definitions": {}}');
    writeFileSync(join(folder, 'README.md'), 'not: a: schema');
    expect(Object.fromEntries(readSchemas(folder))).toEqual({
      '/app-sre/a-1.yml': { type: 'object' },
      '/app-sre/b-1.yaml': { type: 'array' },
      '/common-1.json': { definitions: {} },
    });
  });

  it.each([
    { given: 'is missing', path: () => join(folder, 'nowhere') },
    { given: 'is empty', path: () => folder },
    {
      given: 'is a file',
      path: () => {
        writeFileSync(join(folder, 'a-1.yml'), 'type: object\n');
        return join(folder, 'a-1.yml');
      },
    },
  ])('that $given is an error', ({ path }) => {
    const name = path();
    const message = `${name} is not a folder with JSON schemas`;
    expect(faultOf(() => readSchemas(name))).toEqual({ code: 'SCHEMAS_NOT_FOUND', message });
  });

  it.each([
    { given: 'a syntax error', text: 'type: object\na: b: c\n', says: ':2: ' },
    { given: 'nothing in it', text: '', says: ':1: the file is empty' },
    { given: 'a list in it', text: '- a\n', says: ':1: the file holds a list' },
  ])('with a schema that has $given is an error with its line', ({ text, says }) => {
    writeFileSync(join(folder, 'a-1.yml'), text);
    const fault = faultOf(() => readSchemas(folder));
    expect(fault.code).toBe('SCHEMA_UNREADABLE');
    expect(fault.message).toContain(`${join(folder, 'a-1.yml')}${says}`);
  });
});
