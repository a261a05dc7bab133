import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { inheritanceNetwork, inheritanceOf, inheritanceOrder } from './inheritance.ts';

const NETWORK = inheritanceNetwork(
  new Map([
    ['o1', { environment: 'prod', inherit: ['o2', 'o3', 'nobody'], publish: [] }],
    ['o2', { environment: 'stage', inherit: [], publish: ['o1'] }],
    ['o3', { environment: 'stage', inherit: ['o3'], publish: ['o3'] }],
    ['o4', { environment: 'stage', inherit: ['o4', 'o2'], publish: [] }],
  ]),
);

describe('an inherited history', () => {
  it('is of who publishes it to the organization', () => {
    const { inherit, faults } = inheritanceOf('o1', NETWORK);
    expect(inherit).toEqual([{ environment: 'stage', orgId: 'o2' }]);
    expect(faults).toEqual([
      {
        severity: 'error',
        key: 'sre-capabilities.aus.version-data.inherit',
        message: 'no history published to this organization by nobody, o3',
        hint: 'have o1 added to sre-capabilities.aus.version-data.publish there, or remove them here',
      },
    ]);
  });

  it.each(['o3', 'o4'])('is never the own one, as %s asks for', (id) => {
    const { inherit, faults } = inheritanceOf(id, NETWORK);
    expect(inherit).toEqual([]);
    expect(faults[0]?.message).toBe('the organization inherits from itself');
    expect(faults.slice(1).every(({ message }) => !message.includes(id))).toBe(true);
  });

  it('is nothing where none is asked for', () => {
    expect(inheritanceOf('o2', NETWORK)).toEqual({ inherit: [], faults: [] });
    expect(NETWORK.has('o2')).toBe(false);
  });
});

const order = (sources: Readonly<Record<string, readonly string[]>>) => {
  const { ranks, circles } = inheritanceOrder(new Map(Object.entries(sources)));
  return { ranks: Object.fromEntries(ranks), circles: Object.fromEntries(circles) };
};

describe('the order of inheritance', () => {
  it.each([
    { given: 'nobody inherits', sources: { a: [], b: [] }, ranks: { a: 0, b: 0 } },
    { given: 'a chain, named backwards', sources: { a: ['b'], b: ['c'], c: [] }, ranks: { c: 0, b: 1, a: 2 } },
    { given: 'two ways to one source', sources: { a: ['b', 'c'], b: ['c'], c: [] }, ranks: { c: 0, b: 1, a: 2 } },
    { given: 'a source that is not among them', sources: { a: ['x'], b: ['a'] }, ranks: { a: 0, b: 1 } },
  ])('with $given puts sources first', ({ sources, ranks }) => {
    expect(order(sources)).toEqual({ ranks, circles: {} });
  });

  it('takes the members of a circle by id, and those who inherit from it after it', () => {
    const sources = { a: ['q'], q: ['p'], p: ['q', 'z'], z: [] };
    const circle = ['p', 'q'];
    expect(order(sources)).toEqual({ ranks: { z: 0, p: 1, q: 2, a: 3 }, circles: { p: circle, q: circle } });
  });

  it('does not depend on the order in which organizations come, and every source outside of a circle comes first', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const network = fc.tuple(...ids.map(() => fc.uniqueArray(fc.constantFrom(...ids), { maxLength: 3 })));
    holds(
      fc.property(network, (drawn) => {
        const entries = ids.map((id, nth): [string, string[]] => [id, (drawn[nth] ?? []).filter((to) => to !== id)]);
        const { ranks, circles } = inheritanceOrder(new Map(entries));
        expect(inheritanceOrder(new Map(entries.toReversed()))).toEqual({ ranks, circles });
        for (const [id, sources] of entries)
          for (const source of sources) {
            const isTogether = circles.get(id)?.includes(source) ?? false;
            expect(isTogether || (ranks.get(source) ?? 0) < (ranks.get(id) ?? 0)).toBe(true);
            expect(ranks.get(source)).not.toBe(ranks.get(id));
            expect(isTogether).toBe(reaches(new Map(entries), source, id));
          }
      }),
    );
  });

  it('takes a chain of 20,000', () => {
    const chain = Array.from({ length: 20_000 }, (_, nth): [string, string[]] => [`${nth}`, [`${nth + 1}`]]);
    expect(inheritanceOrder(new Map(chain)).ranks.get('0')).toBe(19_999);
  });
});

function reaches(sources: ReadonlyMap<string, readonly string[]>, from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const id of seen) for (const next of sources.get(id) ?? []) seen.add(next);
  return seen.has(to);
}
