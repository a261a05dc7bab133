import { describe, expect, it } from 'vitest';
import { at, cluster, organization, soaked } from '../../../../test/support/upgrade-facts.ts';
import { instantText } from '../../../gates/index.ts';
import type { ClusterUuid } from '../../policies/cluster-key.ts';
import { contextOf } from '../context.ts';
import type { ServedCluster } from '../facts.ts';
import { EMPTY_LEDGER } from '../ledger.ts';
import { DEFAULT_RULES } from '../rules.ts';
import type { Version } from '../versions.ts';
import { soakGate } from './soak.ts';

const VERSION = '4.14.2';

function ask(days: Readonly<Record<string, number>>, soakDays: number, clusters: readonly ServedCluster[] = []) {
  const now = at('2024-03-01T10:00:00Z');
  const context = contextOf(organization({ clusters }), soaked({ [VERSION]: days }), now, DEFAULT_RULES);
  return soakGate({ soakDays, workloads: ['a', 'b'] }, VERSION, context);
}

describe('the gate of soak', () => {
  it.each([
    { days: {}, soakDays: 0, ok: true, reason: 'no soak is required' },
    { days: { a: 3, b: 3 }, soakDays: 3, ok: true, reason: 'a has soaked 3 of 3 days' },
    { days: { a: 9, b: 2.999 }, soakDays: 3, ok: false, reason: 'b has soaked 2.99 of 3 days' },
    { days: { a: 9 }, soakDays: 1, ok: false, reason: 'b has soaked 0 of 1 days' },
    { days: {}, soakDays: 1, ok: false, reason: 'a has soaked 0 of 1 days' },
    { days: { a: -1, b: 0 }, soakDays: 0, ok: false, reason: 'a has soaked -1 of 0 days' },
  ])('with $days of $soakDays says: $reason', ({ days, soakDays, ok, reason }) => {
    expect(ask(days, soakDays)).toMatchObject({ gate: 'soak', ok, reason });
  });

  it('counts microseconds', () => {
    const micro = 1 / 86_400_000_000;
    expect([ask({ a: 1, b: 1 }, 1).ok, ask({ a: 1, b: 1 - micro }, 1).ok]).toEqual([true, false]);
  });

  it.each([
    { given: 'two clusters for each', names: ['x', 'y'], until: '2024-03-01T22:00:00Z' },
    { given: 'nobody', names: [], until: undefined },
  ])('with $given running it opens at $until', ({ names, until }) => {
    const running = names.map((name) => cluster(name, { version: VERSION, policy: { workloads: ['a', 'b'] } }));
    const { until: opens } = ask({ a: 1, b: 0 }, 1, running);
    expect(opens === undefined ? undefined : instantText(opens)).toBe(until);
  });

  it('names a workload that nobody runs before one that soaks', () => {
    const running = cluster('x', { version: VERSION, policy: { workloads: ['a'] } });
    expect(ask({ a: 0.5, b: 1 }, 2, [running])).toMatchObject({ reason: 'b has soaked 1 of 2 days' });
    expect(ask({ a: 0.5, b: 3 }, 2, [running])).toMatchObject({ reason: 'a has soaked 0.5 of 2 days' });
  });

  it.each([
    { given: 'known here', workloads: ['a', 'b'], until: '2024-03-02T10:00:00Z' },
    { given: 'not known here', workloads: ['a', 'c'], until: undefined },
  ])('counts on clusters whose soak is inherited, for workloads that are $given', ({ workloads, until }) => {
    const sightings = new Map([['x' as ClusterUuid, { version: VERSION as Version, workloads: ['a', 'b', 'c'] }]]);
    const facts = organization({ inherited: [{ scope: 'env/other', ledger: { ...EMPTY_LEDGER, sightings } }] });
    const own = soaked({ [VERSION]: { a: 1, b: 1 } });
    const context = contextOf(facts, own, at('2024-03-01T10:00:00Z'), DEFAULT_RULES);
    const { until: opens } = soakGate({ soakDays: 2, workloads }, VERSION, context);
    expect(opens === undefined ? undefined : instantText(opens)).toBe(until);
  });

  it('does not count on sick clusters', () => {
    const sick = cluster('x', { version: VERSION, healthFault: 'sick', policy: { workloads: ['a', 'b'] } });
    expect(ask({}, 1, [sick]).until).toBeUndefined();
  });
});
