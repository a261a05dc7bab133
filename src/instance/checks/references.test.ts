import { describe, expect, it } from 'vitest';
import { handMadeSnapshot, ref } from '../../../test/support/hand-made-snapshot.ts';
import { danglingReferences } from './references.ts';

const check = (content: object) =>
  danglingReferences(
    handMadeSnapshot(
      { '/a/source.yml': { $schema: '/a-1.yml', ...content }, '/a/two.yml': { $schema: '/a-1.yml' } },
      { unreadable: ['/a/garbled.yml'] },
    ),
  );

describe('a reference', () => {
  it.each([
    { given: 'to a datafile', content: { x: ref('/a/two.yml') } },
    { given: 'to its own file', content: { x: ref('/a/source.yml') } },
    { given: 'to a file that could not be read, which is reported by itself', content: { x: ref('/a/garbled.yml') } },
    { given: 'that is not text', content: { x: { $ref: 5 } } },
    { given: 'named in plain text', content: { x: '/a/nowhere.yml' } },
    { given: 'beside nothing at all', content: { x: null, y: [null, []] } },
  ])('$given is let be', ({ content }) => {
    expect(check(content)).toEqual([]);
  });

  it.each([
    { given: 'in a mapping', content: { x: { y: ref('/a/tow.yml') } }, keys: ['x', 'y', '$ref'] },
    { given: 'in a list', content: { x: [ref('/a/two.yml'), ref('/a/tow.yml')] }, keys: ['x', 1, '$ref'] },
    { given: 'in a list of lists', content: { x: [[ref('/a/tow.yml')]] }, keys: ['x', 0, 0, '$ref'] },
    { given: 'beside other fields', content: { x: { $ref: '/a/tow.yml', y: 1 } }, keys: ['x', '$ref'] },
    { given: 'below another', content: { x: { $ref: '/a/two.yml', y: ref('/a/tow.yml') } }, keys: ['x', 'y', '$ref'] },
  ])('to nothing is found $given', ({ content, keys }) => {
    expect(check(content)).toEqual([
      {
        rule: 'ref-dangling',
        severity: 'error',
        path: '/a/source.yml',
        keys,
        message: '/a/tow.yml does not exist',
        hint: 'did you mean /a/two.yml?',
      },
    ]);
  });

  it.each([
    { target: '/a/two.yml#/name', rule: 'ref-fragment' },
    { target: '/a/two.yml$name', rule: 'ref-fragment' },
    { target: 'a/two.yml', rule: 'ref-dangling' },
    { target: '/a/two.yaml', rule: 'ref-dangling' },
    { target: '', rule: 'ref-dangling' },
  ])('to "$target" is $rule', ({ target, rule }) => {
    expect(check({ x: ref(target) })).toMatchObject([{ rule, keys: ['x', '$ref'] }]);
  });

  it('each of several is reported', () => {
    expect(check({ x: ref('/p.yml'), y: [ref('/q.yml'), ref('/p.yml')] }).map(({ keys }) => keys)).toEqual([
      ['x', '$ref'],
      ['y', 0, '$ref'],
      ['y', 1, '$ref'],
    ]);
  });
});
