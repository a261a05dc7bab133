import { describe, expect, it } from 'vitest';
import { schemaCompiler } from './compile.ts';

const setOf = (type: string) => new Map([['/thing-1.yml', { type: 'object', properties: { x: { type } } }]]);

describe('the compiler of schemas', () => {
  it('is made once for a set', () => {
    const schemas = setOf('string');
    expect(schemaCompiler(schemas)).toBe(schemaCompiler(schemas));
  });

  it('judges by the schemas of its own set', () => {
    const fits = (type: string) => schemaCompiler(setOf(type)).schema('/thing-1.yml')?.({ x: 'text' });
    expect(['string', 'number', 'string'].map(fits)).toEqual([true, false, true]);
  });
});
