import { describe, expect, it } from 'vitest';
import { instantOf } from '../../gates/index.ts';
import { UPGRADE_GATES } from '../engine/decide.ts';
import type { ClusterPlan, OrganizationPlan, UpgradePlan } from './plan.ts';
import { awaitedClusters, isRollingStart, watchedPlan } from './watched-plan.ts';

const NOW = instantOf(Date.parse('2026-03-02T06:00:00Z'));
const cluster = (name: string, more: Partial<ClusterPlan>): ClusterPlan =>
  ({
    id: `${name}-id`,
    uuid: `${name}-uuid`,
    name,
    version: '4.18.1',
    channel: 'stable',
    reason: 'why',
    ...more,
  }) as ClusterPlan;
const plan = (clusters: ClusterPlan[], more: Partial<OrganizationPlan> = {}): UpgradePlan => ({
  environments: [],
  organizations: [
    {
      ...{ environment: 'live', orgId: 'org-1' as OrganizationPlan['orgId'], name: 'first', clusters },
      ...{ skipped: [], faults: [], problems: [], serviceLogs: [], ...more },
    },
  ],
});

describe('what a watched plan waits for', () => {
  it('is clusters by gate, the most first, each with the earliest time or a reason', () => {
    const awaited = awaitedClusters(
      plan([
        cluster('a', { action: 'wait', gate: 'schedule', until: '2026-03-02T08:00:00Z' }),
        cluster('b', { action: 'wait', gate: 'soak', until: '2026-03-04T06:00:00Z' }),
        cluster('c', { action: 'wait', gate: 'soak', until: '2026-03-03T06:00:00Z' }),
        cluster('d', { action: 'agree-gates', gate: 'version-gate', reason: 'no agreement for 4.19' }),
        cluster('e', { action: 'none' }),
        cluster('f', { action: 'hold' }),
        cluster('g', { action: 'upgrade' }),
      ]),
      NOW,
    );
    expect(awaited).toEqual({
      what: '5 of 7 clusters',
      causes: [
        { number: 1, text: 'due', detail: 'the next pass of the scheduler makes these changes' },
        { number: 2, text: 'for soak', detail: 'the first not before 2026-03-03T06:00:00Z (in 24 h)' },
        { number: 1, text: 'for their window', detail: 'not before 2026-03-02T08:00:00Z (in 2 h)' },
        { number: 1, text: 'for the agreement of a user', detail: 'd: no agreement for 4.19' },
      ],
    });
  });

  it.each<{ action: ClusterPlan['action']; isAwaited: boolean }>([
    { action: 'none', isAwaited: false },
    { action: 'hold', isAwaited: false },
    { action: 'wait', isAwaited: true },
    { action: 'agree-gates', isAwaited: true },
    { action: 'upgrade', isAwaited: true },
    { action: 'upgrade-node-pool', isAwaited: true },
    { action: 'switch-channel', isAwaited: true },
    { action: 'cancel', isAwaited: true },
  ])('is a cluster with the action $action: $isAwaited', ({ action, isAwaited }) => {
    expect(awaitedClusters(plan([cluster('a', { action })]), NOW) !== undefined).toBe(isAwaited);
    const { rows } = watchedPlan(plan([cluster('a', { action })]), 'wide', NOW);
    expect(rows).toEqual([{ key: 'live/org-1/a-id', name: 'a', isAwaited }]);
  });

  it('has words for every gate, and for one that has none', () => {
    for (const [name, { awaited }] of UPGRADE_GATES) expect(awaited, name).toMatch(/^for \S+/);
    const [cause] = awaitedClusters(plan([cluster('a', { action: 'wait', gate: 'added' })]), NOW)?.causes ?? [];
    expect(cause?.text).toBe('for the gate added');
  });

  it('sees nothing when no organization could be observed', () => {
    const fault = { code: 'OCM_UNREACHABLE', message: 'no response', hint: 'wait' };
    expect(watchedPlan(plan([], { skipped: [fault] }), 'usual', NOW).blind).toBe(
      'live/first (org-1): no response [OCM_UNREACHABLE]',
    );
    const some = plan([cluster('a', { action: 'wait' })], { faults: [fault] });
    expect(watchedPlan(some, 'usual', NOW).blind).toBeUndefined();
    expect(watchedPlan(some, 'usual', NOW).notes).toContain('error: live/first (org-1): no response [OCM_UNREACHABLE]');
  });
});

const monday = (time: string) => instantOf(Date.parse(`2026-03-02T${time}:00Z`));

describe('a start that moves with every pass', () => {
  it.each([
    { schedule: '* * * * *', start: '14:06', rolling: true },
    { schedule: '*/15 * * * *', start: '14:15', rolling: true },
    { schedule: '*/16 * * * *', start: '14:16', rolling: false },
    { schedule: '0 * * * *', start: '15:00', rolling: false },
    { schedule: '0 15 * * *', start: '15:00', rolling: false },
    { schedule: '* 8-16 * * *', start: '08:00', rolling: false },
    { schedule: '* 8-16 * * *', start: '08:01', rolling: true },
    { schedule: '* 8-16 * * *', start: '16:58', rolling: true },
    { schedule: '* 8-16 * * *', start: '16:59', rolling: false },
    { schedule: '* * * * * *', start: '14:06', rolling: true },
    { schedule: '@hourly', start: '15:00', rolling: false },
    { schedule: '0 0 30 2 *', start: '15:00', rolling: false },
    { schedule: 'whenever', start: '15:00', rolling: false },
  ])('$schedule at $start: $rolling', ({ schedule, start, rolling }) => {
    expect(isRollingStart(schedule, monday(start))).toBe(rolling);
  });
});
