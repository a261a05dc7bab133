import { describe, expect, it } from 'vitest';
import type { Instant } from '../gates/index.ts';
import type { PlannedOrganization } from '../upgrades/index.ts';
import { inOrder, pastOf, recordedVersions, sightedNow } from './past.ts';
import type { Sighted } from './state.ts';

const at = (value: number): Instant => value as Instant;

describe('what this console saw', () => {
  it('is a version with the look that saw it first', () => {
    const first = sightedNow(new Map(), [{ id: 'a', version: '4.1.0' }], at(1));
    const second = sightedNow(first, [{ id: 'a', version: '4.1.0' }], at(2));
    const third = sightedNow(second, [{ id: 'a', version: '4.1.1' }], at(3));
    expect(third.get('a')).toEqual([
      { version: '4.1.0', since: 1 },
      { version: '4.1.1', since: 3 },
    ]);
  });

  it('stays when a look does not see the cluster', () => {
    const first = sightedNow(new Map(), [{ id: 'a', version: '4.1.0' }], at(1));
    const without = sightedNow(first, [], at(2));
    const again = sightedNow(without, [{ id: 'a', version: '4.1.0' }], at(3));
    expect(again.get('a')).toEqual([{ version: '4.1.0', since: 1 }]);
  });

  it('is kept within limits', () => {
    let seen = sightedNow(new Map(), [], at(0));
    for (let look = 1; look <= 80; look += 1) seen = sightedNow(seen, [{ id: 'a', version: `4.1.${look}` }], at(look));
    expect(seen.get('a')).toHaveLength(50);
    expect(seen.get('a')?.at(-1)).toEqual({ version: '4.1.80', since: 80 });
    const many = Array.from({ length: 10_000 }, (_, index) => ({ id: `c${index}`, version: '4.1.0' }));
    const after = sightedNow(seen, many, at(81));
    expect({ size: after.size, forgotten: !after.has('a'), kept: after.has('c0') }).toEqual({
      ...{ size: 10_000, forgotten: true, kept: true },
    });
  });
});

describe('what a history has', () => {
  it('is found by UUID and by name, in order of versions', () => {
    const soak = (...reporting: string[]) => new Map([['wl', { micros: 1, reporting: new Set(reporting) }]]);
    const facts = {
      clusters: [{ id: 'id-a', uuid: 'uuid-a', name: 'a' }],
      held: [{ id: 'id-b', uuid: 'uuid-b', name: 'b' }],
      ledger: {
        sightings: new Map(),
        versions: new Map([
          ['4.10.1', soak('uuid-a')],
          ['4.9.1', soak('a', 'b')],
        ]),
      },
    } as unknown as PlannedOrganization['facts'];
    const found = recordedVersions([{ facts }]);
    expect(Object.fromEntries(found)).toEqual({ 'id-a': ['4.9.1', '4.10.1'], 'id-b': ['4.9.1'] });
  });
});

it('what is no version comes after versions', () => {
  expect(['later', '4.10.0', '4.9.0', 'also'].sort(inOrder)).toEqual(['4.9.0', '4.10.0', 'also', 'later']);
});

describe('the dated past of a cluster', () => {
  const versions = (...given: readonly (readonly [string, number])[]): Sighted[] =>
    given.map(([version, since]) => ({ version, since: since as Instant }));
  it.each([
    { given: 'only this console saw it', kept: [], seen: versions(['1', 5]), is: versions(['1', 5]) },
    { given: 'the scheduler saw the same', kept: versions(['1', 1]), seen: versions(['1', 5]), is: versions(['1', 1]) },
    {
      given: 'the scheduler saw a change first',
      ...{ kept: versions(['1', 1], ['2', 6]), seen: versions(['1', 5], ['2', 7]) },
      is: versions(['1', 1], ['2', 6]),
    },
    {
      given: 'the scheduler stands still, and only this console sees the change',
      ...{ kept: versions(['1', 1]), seen: versions(['1', 5], ['2', 7]), is: versions(['1', 1], ['2', 7]) },
    },
  ])('when $given', ({ kept, seen, is }) => {
    const past = new Map([['a', { versions: kept, scheduled: [] }]]);
    expect(pastOf({ past }, { sighted: new Map([['a', seen]]) }, 'a')).toEqual(is);
  });
});
