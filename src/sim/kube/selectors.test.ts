import { describe, expect, it } from 'vitest';
import type { KubeObject } from './objects.ts';
import { fieldTest, labelTest } from './selectors.ts';

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
    { selector: 'a b', at: 'a b' },
    { selector: 'a===b', at: 'a===b' },
    { selector: '=', at: '=' },
    { selector: 'a,,b', at: '' },
    { selector: 'a in b', at: 'a in b' },
  ])('"$selector" is refused', ({ selector, at }) => {
    expect(() => labelTest(selector)).toThrow(`unable to parse requirement: '${at}'`);
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
    { selector: 'source.component=kubelet', selects: true },
    { selector: 'reason=', selects: true },
    { selector: '', selects: true },
  ])('"$selector"', ({ selector, selects }) => {
    expect(fieldTest(selector)(object)).toBe(selects);
  });

  it('that is not understood is refused', () => {
    expect(() => fieldTest('x')).toThrow("invalid selector: 'x'; can't understand 'x'");
  });
});
