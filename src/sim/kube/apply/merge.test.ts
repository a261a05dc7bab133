import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../../test/support/property.ts';
import type { Fields } from '../objects.ts';
import { struct } from '../schema.ts';
import { merge } from './merge.ts';

const SPEC = struct('core.v1.PodSpec');

function containers(names: string): Fields {
  return { containers: [...names].map((name) => ({ name })) };
}

function order(merged: unknown): string {
  return (merged as { containers: { name: string }[] }).containers.map(({ name }) => name).join('');
}

describe('lists by keys are merged', () => {
  it.each([
    { live: 'abc', applied: 'abc', merged: 'abc' },
    { live: 'abc', applied: 'cab', merged: 'cab' },
    { live: 'abc', applied: 'b', merged: 'abc' },
    { live: 'abc', applied: 'd', merged: 'abcd' },
    { live: 'abc', applied: 'da', merged: 'dabc' },
    { live: 'abc', applied: 'ca', merged: 'bca' },
    { live: 'ab', applied: 'xbya', merged: 'xbya' },
  ])('$live with $applied as $merged', ({ live, applied, merged }) => {
    expect(order(merge(containers(live), containers(applied), SPEC))).toBe(merged);
  });

  it('into every item of both, once, with the applied ones in their order', () => {
    const names = fc.uniqueArray(fc.constantFrom(...'abcdef'), { minLength: 1 }).map((list) => list.join(''));
    holds(
      fc.property(names, names, (live, applied) => {
        const merged = order(merge(containers(live), containers(applied), SPEC));
        expect([...merged].sort()).toEqual([...new Set([...live, ...applied])].sort());
        expect([...merged].filter((name) => applied.includes(name)).join('')).toBe(applied);
        const others = [...live].filter((name) => !applied.includes(name)).join('');
        expect([...merged].filter((name) => !applied.includes(name)).join('')).toBe(others);
      }),
    );
  });
});

describe('merged', () => {
  it.each([
    {
      what: 'fields of a struct and of a map',
      live: { nodeName: 'n', hostname: 'h', overhead: { cpu: '1' } },
      applied: { hostname: 'i', overhead: { memory: '1' } },
      merged: { nodeName: 'n', hostname: 'i', overhead: { cpu: '1', memory: '1' } },
    },
    {
      what: 'not an atomic map',
      live: { nodeSelector: { a: '1' } },
      applied: { nodeSelector: { b: '1' } },
      merged: { nodeSelector: { b: '1' } },
    },
    {
      what: 'not an atomic list',
      live: { tolerations: [{ key: 'a' }] },
      applied: { tolerations: [] },
      merged: { tolerations: [] },
    },
    {
      what: 'items of one key, with a key that has a default',
      live: { containers: [{ name: 'c', ports: [{ containerPort: 80, protocol: 'TCP', name: 'x' }] }] },
      applied: { containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort: 1 }] }] },
      merged: { containers: [{ name: 'c', ports: [{ containerPort: 80, protocol: 'TCP', name: 'x', hostPort: 1 }] }] },
    },
  ])('$what', ({ live, applied, merged }) => {
    expect(merge(live, applied, SPEC)).toEqual(merged);
  });
});
