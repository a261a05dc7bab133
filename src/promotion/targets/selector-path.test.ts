import { describe, expect, it } from 'vitest';
import { handMadeSnapshot } from '../../../test/support/hand-made-snapshot.ts';
import { parseSelectorPath, selectorPathText, walkData } from './selector-path.ts';

describe('a path', () => {
  it.each([
    { text: 'a', steps: [{ by: 'key', key: 'a' }] },
    {
      text: 'a.b[].c',
      steps: [{ by: 'key', key: 'a' }, { by: 'key', key: 'b' }, { by: 'all' }, { by: 'key', key: 'c' }],
    },
    {
      text: 'a[2]',
      steps: [
        { by: 'key', key: 'a' },
        { by: 'index', index: 2 },
      ],
    },
    {
      text: 'a[x.y=z]',
      steps: [
        { by: 'key', key: 'a' },
        { by: 'value', key: 'x.y', value: 'z' },
      ],
    },
    {
      text: 'a[url=https://github.com/o/r].ref',
      steps: [
        { by: 'key', key: 'a' },
        { by: 'value', key: 'url', value: 'https://github.com/o/r' },
        { by: 'key', key: 'ref' },
      ],
    },
    {
      text: 'a[n="x]y"]',
      steps: [
        { by: 'key', key: 'a' },
        { by: 'value', key: 'n', value: 'x]y' },
      ],
    },
  ])('$text is read and written again', ({ text, steps }) => {
    expect(parseSelectorPath(text)).toEqual(steps);
    expect(selectorPathText(parseSelectorPath(text))).toBe(text);
  });

  it.each(['', '.', 'a.', 'a..b', '.a', 'a[', 'a]', 'a[x=]y]', 'a.[0]', 'a b', 'a[=x]'])('is not %j', (text) => {
    expect(() => parseSelectorPath(text)).toThrow(/the path/);
  });
});

const SNAPSHOT = handMadeSnapshot({
  '/saas.yml': {
    templates: [
      { name: 'a', targets: [{ name: 'stage', ref: '1' }, { $ref: '/production.yml' }] },
      { name: 'b', targets: [{ name: 'stage', namespace: { $ref: '/ns.yml' }, ref: '3' }] },
    ],
    empty: null,
  },
  '/production.yml': { name: 'production', ref: '2', parameters: { TAG: 't' } },
  '/loop.yml': { next: { $ref: '/loop.yml' }, value: 'v' },
});

const walk = (text: string, from = '/saas.yml') => walkData(SNAPSHOT, from, parseSelectorPath(text));

describe('a path leads to', () => {
  it.each([
    { text: 'templates[0].name', found: ['/saas.yml templates,0,name a'] },
    { text: 'templates[name=b].targets[0].ref', found: ['/saas.yml templates,1,targets,0,ref 3'] },
    { text: 'templates[name=a].targets[name=production].ref', found: ['/production.yml ref 2'] },
    {
      text: 'templates[].targets[].ref',
      found: [
        '/saas.yml templates,0,targets,0,ref 1',
        '/production.yml ref 2',
        '/saas.yml templates,1,targets,0,ref 3',
      ],
    },
    { text: 'templates[].targets[namespace=/ns.yml].ref', found: ['/saas.yml templates,1,targets,0,ref 3'] },
    { text: 'templates[].targets[parameters.TAG=t].name', found: ['/production.yml name production'] },
    { text: 'templates[7].name', found: [] },
    { text: 'empty.x', found: [] },
  ])('$text: $found', ({ text, found }) => {
    expect(walk(text).found.map(({ path, keys, value }) => `${path} ${keys.join()} ${value}`)).toEqual(found);
  });

  it('an end, also through a file that refers to itself', () => {
    expect(walk('next.next.next.value', '/loop.yml').found).toEqual([
      { path: '/loop.yml', keys: ['value'], value: 'v' },
    ]);
  });
});

describe('a path that leads nowhere says how far it came', () => {
  it.each([
    { text: 'template[0]', misses: ['/saas.yml 0 the file has no template; it has templates'] },
    {
      text: 'templates[name=a].targets[name=prod].ref',
      misses: ['/saas.yml 3 templates[name=a].targets has no item with name prod; it has production'],
    },
    { text: 'templates[9].name', misses: ['/saas.yml 1 templates has no item 9'] },
    { text: 'empty[].x', misses: ['/saas.yml 1 empty has no items'] },
    { text: 'x', from: '/nowhere.yml', misses: ['/nowhere.yml 0 the file has no x'] },
  ])('$text', ({ text, from, misses }) => {
    const told = walk(text, from).misses.map(({ path, depth, message }) => `${path} ${depth} ${message}`);
    expect(told).toEqual(misses);
  });
});
