import { describe, expect, it } from 'vitest';
import { at } from '../../../test/support/upgrade-facts.ts';
import type { ClusterId } from '../policies/org-spec.ts';
import type { ClusterDetails } from './memory.ts';
import { policiesWith, type Reservation, settled, stillReserved } from './reservations.ts';

const reservation: Reservation = {
  kind: 'cluster',
  clusterId: 'a' as ClusterId,
  version: '4.18.3',
  nextRun: at('2026-03-02T12:00:00Z'),
  at: at('2026-03-02T10:00:00Z'),
};
const { at: _, policyId: __, ...rest } = { policyId: '', ...reservation };
const policy: ClusterDetails['policies'][number] = { ...rest, id: 'p1', state: 'scheduled' };
const NOW = at('2026-03-02T10:05:00Z');
const LATE = at('2026-03-02T10:20:00Z');

describe('a policy that OCM shows', () => {
  it.each([
    { given: 'an equal one, not confirmed', own: reservation, ours: true },
    { given: 'its id', own: { ...reservation, policyId: 'p1' }, ours: true },
    { given: 'another id', own: { ...reservation, policyId: 'p2' }, ours: false },
    { given: 'another version', own: { ...reservation, version: '4.18.2' }, ours: false },
    { given: 'another time', own: { ...reservation, nextRun: LATE }, ours: false },
    { given: 'a node pool', own: { ...reservation, kind: 'node_pool' as const, nodePool: 'np' }, ours: false },
    { given: 'another cluster', own: { ...reservation, clusterId: 'b' as ClusterId }, ours: false },
  ])('is ours: $ours, where $given was reserved', ({ own, ours }) => {
    expect(policiesWith([policy], [own], LATE)).toEqual([{ ...policy, ours }]);
  });
});

describe('a reservation that OCM does not show', () => {
  it.each([
    { given: 'just now', now: NOW, states: ['unconfirmed'] },
    { given: 'a while ago', now: LATE, states: [] },
  ])('made $given is taken: $states', ({ now, states }) => {
    const found = policiesWith([], [reservation], now);
    expect(found.map(({ state }) => state)).toEqual(states);
    expect(found.every(({ ours, clusterId }) => ours && clusterId === 'a')).toBe(true);
  });
});

describe('what is remembered', () => {
  const details = (seen: Partial<ClusterDetails>): ReadonlyMap<string, ClusterDetails> =>
    new Map([['a', { readAt: NOW, nodePools: [], policies: [], ...seen }]]);

  it.each([
    { given: 'it is fresh', seen: {}, now: NOW, kept: true },
    { given: 'OCM shows it', seen: { policies: [policy] }, now: LATE, kept: true },
    { given: 'OCM does not show it', seen: {}, now: LATE, kept: false },
    { given: 'nobody can tell', seen: { fault: 'it answered 500' }, now: LATE, kept: true },
    { given: 'it has started', seen: { policies: [policy] }, now: at('2026-03-02T12:00:00Z'), kept: false },
    {
      given: 'nobody can tell, and it would have started',
      seen: { fault: 'x' },
      now: at('2026-03-02T13:00:00Z'),
      kept: false,
    },
  ])('is kept: $kept, when $given', ({ seen, now, kept }) => {
    expect(stillReserved([reservation], details(seen), now)).toEqual(kept ? [reservation] : []);
  });

  it('gets the id of what was confirmed, loses what was refused, and keeps the rest', () => {
    const others = ['b', 'c'].map((id) => ({ ...reservation, clusterId: id as ClusterId }));
    const [refused, open] = others as [Reservation, Reservation];
    const settlements = [
      { reservation, policyId: 'p1' },
      { reservation: refused, policyId: 'refused' },
    ];
    expect(settled([reservation, refused, open], settlements)).toEqual([{ ...reservation, policyId: 'p1' }, open]);
  });
});
