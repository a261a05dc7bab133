import { describe, expect, it } from 'vitest';
import { type GuardedObject, workloadReport } from './workload-report.ts';

type Spec = Readonly<Record<string, unknown>>;
const NOTHING = { failed: new Set<string>(), wrong: new Set<string>(), failures: [], owners: new Map() };

function side(objects: Readonly<Record<string, Spec>>, more: Partial<typeof NOTHING> = {}) {
  const place = { cluster: 'c', namespace: 'n', environment: 'prod' };
  const rendered = Object.entries(objects).map(([name, spec]) => ({ kind: 'Deployment', metadata: { name }, spec }));
  return { ...NOTHING, ...more, namespaces: [{ ...place, objects: rendered }] };
}

/** The names that the guard counts. */
function going(base: Readonly<Record<string, Spec>>, head: Readonly<Record<string, Spec>>, more = {}): string[] {
  const seen: GuardedObject[] = [];
  workloadReport(side(base), side(head, more), (objects) => {
    seen.push(...objects);
    return [];
  });
  return seen.filter(({ goes }) => goes).map(({ name }) => name);
}

describe('what the guard counts of a change', () => {
  const ON = { replicas: 1 };
  const OFF = { replicas: 0 };
  it.each([
    { given: 'nothing', base: { a: ON }, head: { a: ON }, goes: [] },
    { given: 'an object removed', base: { a: ON, b: ON }, head: { a: ON }, goes: ['b'] },
    { given: 'an object stopped', base: { a: ON }, head: { a: OFF }, goes: ['a'] },
    { given: 'a schedule suspended', base: { a: {} }, head: { a: { suspend: true } }, goes: ['a'] },
    { given: 'an object started', base: { a: OFF }, head: { a: ON }, goes: [] },
    { given: 'an object that was stopped before', base: { a: OFF }, head: { a: OFF }, goes: [] },
  ])('$given: $goes', ({ base, head, goes }) => {
    expect(going(base as never, head as never)).toEqual(goes);
  });

  it('leaves out what could not be rendered', () => {
    expect(going({ a: ON }, {}, { failed: new Set(['c/n']) })).toEqual([]);
  });
});
