import { describe, expect, it } from 'vitest';
import type { KubeObject } from './objects.ts';
import { CONFIG_MAPS, EVENTS, NAMESPACES } from './resources.ts';
import { fieldTest, labelTest, matchesLabelSelector } from './selectors.ts';

const OBJECTS: readonly [string, Record<string, string>][] = [
  ['web', { app: 'web', tier: '1' }],
  ['db', { app: 'db' }],
  ['none', {}],
  ['empty', { app: '' }],
];

describe('a label selector', () => {
  it.each([
    { selector: '', found: ['web', 'db', 'none', 'empty'] },
    { selector: 'app', found: ['web', 'db', 'empty'] },
    { selector: '!app', found: ['none'] },
    { selector: 'app=web', found: ['web'] },
    { selector: 'app==web', found: ['web'] },
    { selector: 'app!=web', found: ['db', 'none', 'empty'] },
    { selector: 'app=', found: ['empty'] },
    { selector: 'app in (web,db)', found: ['web', 'db'] },
    { selector: 'app notin (web, db)', found: ['none', 'empty'] },
    { selector: 'app=web,tier', found: ['web'] },
    { selector: 'app in (web),!tier', found: [] },
    { selector: 'tier>0', found: ['web'] },
    { selector: 'tier<1', found: [] },
  ])('"$selector" finds $found', ({ selector, found }) => {
    const test = labelTest(selector);
    expect(OBJECTS.filter(([, labels]) => test(labels)).map(([name]) => name)).toEqual(found);
  });

  it.each([
    { selector: 'a b', says: "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt" },
    { selector: 'a===b', says: "unable to parse requirement: found '=', expected: identifier" },
    { selector: '=', says: "found '=', expected: !, identifier, or 'end of string'" },
    { selector: 'a,,b', says: "found ',', expected: identifier after ','" },
    { selector: 'a in b', says: "unable to parse requirement: found 'b' expected: '('" },
  ])('"$selector" is refused', ({ selector, says }) => {
    expect(() => labelTest(selector)).toThrow(says);
  });
});

describe('the selector of an object', () => {
  it.each([
    { expression: { key: 'app', operator: 'In', values: ['web'] }, found: ['web'] },
    { expression: { key: 'app', operator: 'NotIn', values: ['web'] }, found: ['db', 'none', 'empty'] },
    { expression: { key: 'tier', operator: 'Exists' }, found: ['web'] },
    { expression: { key: 'tier', operator: 'DoesNotExist' }, found: ['db', 'none', 'empty'] },
  ])('by $expression.operator finds $found', ({ expression, found }) => {
    const selector = { matchExpressions: [expression] };
    expect(OBJECTS.filter(([, labels]) => matchesLabelSelector(selector, labels)).map(([name]) => name)).toEqual(found);
  });
});

describe('a field selector', () => {
  const object = {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { name: 'a', namespace: 'ns' },
    involvedObject: { kind: 'Pod', name: 'p' },
    source: { component: 'kubelet' },
  } satisfies KubeObject;

  it.each([
    { selector: 'metadata.name=a', selects: true },
    { selector: 'metadata.name!=a', selects: false },
    { selector: 'involvedObject.name=p,involvedObject.kind==Pod', selects: true },
    { selector: 'involvedObject.name=p,involvedObject.kind=Job', selects: false },
    { selector: 'source=kubelet', selects: true },
    { selector: '', selects: true },
  ])('"$selector"', ({ selector, selects }) => {
    expect(fieldTest(selector, EVENTS)(object)).toBe(selects);
  });

  it.each([
    {
      selector: 'data.a=b',
      resource: CONFIG_MAPS,
      says: '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"',
    },
    { selector: 'spec.x=b', resource: NAMESPACES, says: 'field label not supported: spec.x' },
    { selector: 'x', resource: CONFIG_MAPS, says: "invalid selector: 'x'; can't understand 'x'" },
  ])('"$selector" is refused', ({ selector, resource, says }) => {
    expect(() => fieldTest(selector, resource)).toThrow(says);
  });
});
