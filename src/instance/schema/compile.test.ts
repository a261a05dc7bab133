import { describe, expect, it } from 'vitest';
import { schemaCompiler } from './compile.ts';

const setOf = (type: string) => new Map([['/thing-1.yml', { type: 'object', properties: { x: { type } } }]]);

describe('the compiler of schemas', () => {
  it('is the same for equal schemas that were read again', () => {
    expect(schemaCompiler(setOf('string'))).toBe(schemaCompiler(setOf('string')));
  });

  it('is another when one schema changed, and the first again when it changed back', () => {
    const fits = (type: string) => schemaCompiler(setOf(type)).schema('/thing-1.yml')?.({ x: 'text' });
    expect(['string', 'number', 'string'].map(fits)).toEqual([true, false, true]);
  });
});
