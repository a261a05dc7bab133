import { describe, expect, it } from 'vitest';
import { schemaCompiler, schemaPattern } from './compile.ts';

const setOf = (type: string) => new Map([['/thing-1.yml', { type: 'object', properties: { x: { type } } }]]);

describe('the compiler of schemas', () => {
  it('judges by the schemas of its own set', () => {
    const fits = (type: string) => schemaCompiler(setOf(type)).schema('/thing-1.yml')?.({ x: 'text' });
    expect(['string', 'number', 'string'].map(fits)).toEqual([true, false, true]);
  });
});

const SQL =
  '(?i)^(?:analyze|select|explain(?!\\s+analyze(?!\\s+select)))(?:(?:["\'][^"\']*["\'])|(?:--.*\\n)|[^;\\*])*;$';

describe('a pattern of a schema', () => {
  it.each([
    { pattern: '^\\d+$', text: '12', fits: true },
    { pattern: '^\\d+$', text: '1x', fits: false },
    { pattern: '(?i)^abc$', text: 'ABC', fits: true },
    { pattern: '^https://(?!docs.google.com).*', text: 'https://x', fits: true },
    { pattern: '^https://(?!docs.google.com).*', text: 'https://docs.google.com/x', fits: false },
    { pattern: '^https://(?!docs.google.com).*', text: 'http://x', fits: false },
    { pattern: '^https:\\/\\/.+(?<!\\/)$', text: 'https://x/', fits: false },
    { pattern: '^https:\\/\\/.+(?<!\\/)$', text: 'https://x', fits: true },
    { pattern: '^(?!a|(b))[(?!)\\]]+x\\(?!', text: '(?!)x(!', fits: true },
    { pattern: SQL, text: 'EXPLAIN ANALYZE SELECT 1;', fits: true },
    { pattern: SQL, text: 'explain analyze delete from x;', fits: false },
    { pattern: SQL, text: 'select "a" from b; drop c', fits: false },
    { pattern: '^(a)\\1$', text: 'aa', fits: true },
    { pattern: '^(a)\\1$', text: 'ab', fits: false },
  ])('$pattern fits $text: $fits', ({ pattern, text, fits }) => {
    expect(schemaPattern(pattern)?.test(text)).toBe(fits);
  });

  it.each([
    { pattern: '^(a+)+$', text: `${'a'.repeat(100_000)}!` },
    { pattern: '^(\\d+)*(\\d+)*Mi$', text: '1'.repeat(160_000) },
    { pattern: SQL, text: `select ${'"'.repeat(20_001)}` },
  ])('$pattern takes linear time on a text that explodes elsewhere', ({ pattern, text }) => {
    expect(schemaPattern(pattern)?.test(text)).toBe(false);
  });

  it('that no engine accepts is none', () => {
    expect(schemaPattern('(')).toBeUndefined();
  });
});
