import { describe, expect, it } from 'vitest';
import { refusal, SECRET } from '../../../test/support/vault-refusal.ts';
import { secretField } from './index.ts';
import { pathElements, type SecretReader, type SecretRef } from './secret-reader.ts';

function readerOf(fields: Readonly<Record<string, string>>): SecretReader {
  return { name: 'the store', read: async () => new Map(Object.entries(fields)) };
}

const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64');

describe('the value of a reference', () => {
  it.each([
    { given: 'no format', stored: SECRET, ref: {}, value: SECRET },
    { given: 'plain', stored: base64(SECRET), ref: { format: 'plain' as const }, value: base64(SECRET) },
    { given: 'base64', stored: base64(SECRET), ref: { format: 'base64' as const }, value: SECRET },
    { given: 'base64 in lines', stored: 'aHVu\ndGVy\r\nMg==\n', ref: { format: 'base64' as const }, value: 'hunter2' },
    { given: 'base64 of UTF-8', stored: base64('pässwörd ☃'), ref: { format: 'base64' as const }, value: 'pässwörd ☃' },
    { given: 'base64 of nothing', stored: '', ref: { format: 'base64' as const }, value: '' },
    { given: 'an empty value', stored: '', ref: {}, value: '' },
  ])('with $given is $value', async ({ stored, ref, value }) => {
    expect(await secretField(readerOf({ token: stored }), { path: 'a/b', field: 'token', ...ref })).toBe(value);
  });

  it.each([
    { given: 'other characters', stored: 'aHVudGVy!' },
    { given: 'a missing character', stored: 'aHVudGV' },
    { given: 'a wrong end', stored: 'aHVudGVy=' },
    { given: 'bytes that are no text', stored: base64(Buffer.from([0xff, 0xfe, 0xfd])) },
  ])('that is not base64 is told: $given', async ({ stored }) => {
    const ref = { path: 'a/b', field: 'token', format: 'base64' as const };
    expect(await refusal(() => secretField(readerOf({ token: stored }), ref))).toMatchObject({
      code: 'SECRET_NOT_BASE64',
      message: 'the secret a/b, field token, in the store is not valid base64 text',
      hint: expect.stringContaining('format: base64'),
    });
  });

  it.each([
    { field: 'tokn', hint: 'did you mean token?' },
    { field: 'certificate', hint: 'correct the field of the reference, or add it to the secret' },
  ])('whose field $field is absent is told', async ({ field, hint }) => {
    const reader = readerOf({ token: SECRET, user: SECRET });
    expect(await refusal(() => secretField(reader, { path: 'a/b', field, version: 3 }))).toMatchObject({
      code: 'SECRET_NOT_FOUND',
      message: `the secret a/b, version 3, field ${field}, is not in the store`,
      hint,
    });
  });
});

describe('the path of a reference', () => {
  it.each([
    { path: 'a', elements: ['a'] },
    { path: 'app-sre/creds/x.y_z', elements: ['app-sre', 'creds', 'x.y_z'] },
    { path: 'a/...', elements: ['a', '...'] },
    { path: 'a b/%2e%2e/ü', elements: ['a b', '%2e%2e', 'ü'] },
  ])('$path is $elements', ({ path, elements }) => {
    expect(pathElements({ path, field: 'f' })).toEqual(elements);
  });

  it.each([
    '',
    '/',
    '/a',
    'a/',
    'a//b',
    '.',
    '..',
    '../a',
    'a/../b',
    'a/..',
    'a/./b',
    'a\\..\\b',
    'a\0b',
    'a\nb',
    '\ud800',
  ])('%j is refused', async (path) => {
    const ref: SecretRef = { path, field: 'f' };
    expect(await refusal(() => pathElements(ref))).toMatchObject({ code: 'SECRET_PATH_INVALID' });
  });
});
