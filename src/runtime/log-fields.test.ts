import { describe, expect, it } from 'vitest';
import { EchelonError, Secrets } from '../base/index.ts';
import { plainFields, plainText } from './log-fields.ts';

const secrets = new Secrets();
secrets.add('s3cr3t');
secrets.add('12345678');

const circular: Record<string, unknown> = { name: 'ring' };
circular['self'] = circular;

describe('fields of a log', () => {
  it.each([
    { given: 'scalars', fields: { a: 'x', b: 1, c: true, d: null }, plain: { a: 'x', b: 1, c: true, d: null } },
    { given: 'nothing', fields: { a: undefined, b: () => 1, c: Symbol('x') }, plain: {} },
    { given: 'numbers that JSON lacks', fields: { a: Number.NaN, b: 9n }, plain: { a: 'NaN', b: '9' } },
    { given: 'a date', fields: { a: new Date(0) }, plain: { a: '1970-01-01T00:00:00.000Z' } },
    { given: 'no date', fields: { a: new Date('x') }, plain: { a: 'Invalid Date' } },
    { given: 'a map and a set', fields: { m: new Map([[1, 2]]), s: new Set(['a']) }, plain: { m: { 1: 2 }, s: ['a'] } },
    { given: 'a secret', fields: { a: 'Bearer s3cr3t' }, plain: { a: 'Bearer ***' } },
    { given: 'a nested secret', fields: { a: { b: [{ c: 's3cr3t' }] } }, plain: { a: { b: [{ c: '***' }] } } },
    { given: 'a secret as a key', fields: { s3cr3t: 1 }, plain: { '***': 1 } },
    { given: 'a secret as a number', fields: { pin: 12345678 }, plain: { pin: '***' } },
  ])('with $given are plain data', ({ fields, plain }) => {
    expect(JSON.stringify(plainFields(fields, secrets))).toBe(JSON.stringify(plain));
  });

  it('tell a foreseen fault by its code and hint', () => {
    const cause = new EchelonError({ code: 'INNER', message: 'token s3cr3t refused', hint: 'renew s3cr3t' });
    const error = new EchelonError({ code: 'OUTER', message: 'no', hint: 'do', cause });
    expect(plainFields({ error }, secrets)).toEqual({
      error: {
        ...{ code: 'OUTER', message: 'no', hint: 'do' },
        cause: { code: 'INNER', message: 'token *** refused', hint: 'renew ***' },
      },
    });
  });

  it('tell an unforeseen fault by where it came from', () => {
    const shown = plainFields({ error: new TypeError('bad s3cr3t') }, secrets)['error'] as Record<string, string>;
    expect([shown['name'], shown['message']]).toEqual(['TypeError', 'bad ***']);
    expect(shown['stack']).toMatch(/^TypeError: bad \*\*\*\n +at /);
  });

  it('show the parts of an aggregate', () => {
    const shown = plainFields({ error: new AggregateError([new Error('one'), 'two'], 'both') }, secrets);
    expect(shown).toMatchObject({ error: { message: 'both', errors: [{ message: 'one' }, 'two'] } });
  });

  it('are cut in depth and width, but never through a secret', () => {
    expect(JSON.stringify(plainFields({ circular }, secrets))).toContain('"self":"…"');
    const wide = plainFields({ list: Array.from({ length: 1000 }, (_, n) => n) }, secrets)['list'] as unknown[];
    expect([wide.length, wide.at(-1)]).toEqual([500, '… 501 more']);
    const keys = plainFields(Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`k${n}`, n])), secrets);
    expect([Object.keys(keys).length, keys['…']]).toEqual([501, '100 more']);
    const cut = plainText(`${'x'.repeat(8 * 1024 - 3)}s3cr3t${'y'.repeat(100)}`, secrets);
    expect(cut).toBe(`${'x'.repeat(8 * 1024 - 3)}***… (8292 characters)`);
  });
});
