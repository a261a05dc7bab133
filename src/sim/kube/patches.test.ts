import { describe, expect, it } from 'vitest';
import { jsonPatch, mergePatch, strategicMergePatch } from './patches.ts';
import { struct } from './schema.ts';

describe('a merge patch', () => {
  it.each([
    { target: { a: 1 }, patch: { b: 2 }, result: { a: 1, b: 2 } },
    { target: { a: { b: 1, c: 2 } }, patch: { a: { b: null } }, result: { a: { c: 2 } } },
    { target: { a: [1, 2] }, patch: { a: [3] }, result: { a: [3] } },
    { target: { a: 'x' }, patch: { a: { b: { c: null } } }, result: { a: { b: {} } } },
  ])('$patch on $target', ({ target, patch, result }) => {
    expect(mergePatch(target, patch)).toEqual(result);
  });
});

describe('a JSON patch', () => {
  const target = { data: { a: '1' }, list: ['x', 'y'] };
  it.each([
    {
      does: 'adds',
      patch: [{ op: 'add', path: '/data/b', value: '2' }],
      result: { data: { a: '1', b: '2' }, list: ['x', 'y'] },
    },
    {
      does: 'sets what is not there by replace',
      patch: [{ op: 'replace', path: '/data/b', value: '2' }],
      result: { data: { a: '1', b: '2' }, list: ['x', 'y'] },
    },
    { does: 'removes', patch: [{ op: 'remove', path: '/data/a' }], result: { data: {}, list: ['x', 'y'] } },
    {
      does: 'inserts and appends',
      patch: [
        { op: 'add', path: '/list/0', value: 'w' },
        { op: 'add', path: '/list/-', value: 'z' },
      ],
      result: { data: { a: '1' }, list: ['w', 'x', 'y', 'z'] },
    },
    {
      does: 'replaces an item',
      patch: [{ op: 'replace', path: '/list/1', value: 'z' }],
      result: { data: { a: '1' }, list: ['x', 'z'] },
    },
    {
      does: 'moves',
      patch: [{ op: 'move', from: '/data/a', path: '/data/b' }],
      result: { data: { b: '1' }, list: ['x', 'y'] },
    },
    {
      does: 'copies',
      patch: [{ op: 'copy', from: '/list', path: '/data/l' }],
      result: { data: { a: '1', l: ['x', 'y'] }, list: ['x', 'y'] },
    },
    {
      does: 'goes on after a test that holds',
      patch: [
        { op: 'test', path: '/data/a', value: '1' },
        { op: 'remove', path: '/list' },
      ],
      result: { data: { a: '1' } },
    },
    {
      does: 'reads escaped keys',
      patch: [{ op: 'add', path: '/data/x~1y~0', value: 1 }],
      result: { data: { a: '1', 'x/y~': 1 }, list: ['x', 'y'] },
    },
  ])('$does', ({ patch, result }) => {
    expect(jsonPatch(target, patch)).toEqual(result);
    expect(target).toEqual({ data: { a: '1' }, list: ['x', 'y'] });
  });

  it.each([
    { given: 'a test that does not hold', patch: [{ op: 'test', path: '/data/a', value: '2' }] },
    { given: 'a removal of what is not there', patch: [{ op: 'remove', path: '/data/zz' }] },
    { given: 'a parent that is not there', patch: [{ op: 'add', path: '/zz/a', value: 1 }] },
    { given: 'an index past the end', patch: [{ op: 'replace', path: '/list/2', value: 1 }] },
    { given: 'an operation that is none', patch: [{ op: 'foo', path: '/data' }] },
  ])('with $given is refused with 422', ({ patch }) => {
    expect(() => jsonPatch(target, patch)).toThrow(expect.objectContaining({ code: 422 }));
  });

  it('that is no list is refused with 400', () => {
    expect(() => jsonPatch(target, {})).toThrow(expect.objectContaining({ code: 400 }));
  });
});

describe('a strategic merge patch', () => {
  const live = { containers: ['a', 'b', 'c'].map((name) => ({ name, image: 'i' })), nodeSelector: { x: '1' } };
  const names = (value: unknown): string => (value as typeof live).containers.map(({ name }) => name).join('');
  it.each([
    { given: 'one of them', patch: [{ name: 'b', image: 'j' }], order: 'abc' },
    { given: 'a new one', patch: [{ name: 'd', image: 'j' }], order: 'dabc' },
    { given: 'some in another order', patch: [{ name: 'c' }, { name: 'a' }], order: 'bca' },
    { given: 'one to delete', patch: [{ name: 'b', $patch: 'delete' }], order: 'ac' },
    { given: 'the whole list', patch: [{ $patch: 'replace' }, { name: 'z' }], order: 'z' },
  ])('merges a list by keys with $given', ({ patch, order }) => {
    expect(names(strategicMergePatch(live, { containers: patch }, struct('core.v1.PodSpec')))).toBe(order);
  });

  it('merges fields of an item, and removes by null', () => {
    const patch = { containers: [{ name: 'a', image: null, tty: true }], nodeSelector: null };
    expect(strategicMergePatch(live, patch, struct('core.v1.PodSpec'))).toEqual({
      containers: [
        { name: 'a', tty: true },
        { name: 'b', image: 'i' },
        { name: 'c', image: 'i' },
      ],
    });
  });

  it('keeps only the keys it retains', () => {
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } };
    const patch = { $retainKeys: ['type'], type: 'Recreate' };
    expect(strategicMergePatch(strategy, patch, struct('apps.v1.DeploymentStrategy'))).toEqual({ type: 'Recreate' });
  });
});
