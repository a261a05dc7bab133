import { describe, expect, it } from 'vitest';
import type { OrgId } from '../../instance/index.ts';
import type { ClusterPlan, UpgradePlan } from './plan.ts';
import { applyQuestion, applySummaryText, serviceLogTable, upgradePlanSummary, upgradePlanTable } from './plan-text.ts';

const cluster = (name: string, more: Partial<ClusterPlan>): ClusterPlan => ({
  ...{
    id: name as ClusterPlan['id'],
    uuid: name as ClusterPlan['uuid'],
    name,
    version: '4.18.1',
    channel: 'stable',
    action: 'wait',
    reason: '',
  },
  ...more,
});

const plan = (...clusters: readonly ClusterPlan[]): UpgradePlan => ({
  environments: [],
  organizations: [
    {
      ...{ environment: 'live', orgId: 'o' as OrgId, name: 'first', clusters },
      ...{ skipped: [], faults: [], problems: [], serviceLogs: [] },
    },
  ],
});

const WAITS = cluster('a', { gate: 'soak', reason: 'soaked 1 of 2 days' });
const NONE = cluster('b', { action: 'none' });
const UPGRADE = cluster('c', { action: 'upgrade', to: '4.18.2' });

describe('an upgrade plan in a table', () => {
  it('leaves out clusters with nothing newer, unless it is wide', () => {
    const usual = upgradePlanTable(plan(WAITS, NONE, UPGRADE), 'usual');
    expect(usual.actions).toEqual(['wait', 'upgrade']);
    expect(usual.rows[0]).toEqual(['first', 'a', '4.18.1', 'wait', '-', '-', 'soak', 'soaked 1 of 2 days']);
    expect(upgradePlanTable(plan(WAITS, NONE, UPGRADE), 'wide').actions).toEqual(['wait', 'none', 'upgrade']);
  });

  it.each([
    { clusters: [], text: 'Plan: 0 upgrades; 0 waiting, 0 with nothing newer.' },
    { clusters: [WAITS, NONE, UPGRADE], text: 'Plan: 1 upgrade; 1 waiting, 1 with nothing newer.' },
    {
      clusters: [cluster('d', { action: 'switch-channel' }), cluster('e', { action: 'hold' })],
      text: 'Plan: 0 upgrades, 1 channel switch; 0 waiting, 1 held, 0 with nothing newer.',
    },
  ])('is summed up as "$text"', ({ clusters, text }) => {
    expect(upgradePlanSummary(plan(...clusters))).toBe(text);
  });
});

it.each([
  { done: 1, undone: 0, notices: 0, text: 'Done: 1 change made.' },
  { done: 0, undone: 2, notices: 1, text: 'Done: 0 changes made, 2 not, 1 service log written.' },
])('an apply is summed up as "$text"', ({ done, undone, notices, text }) => {
  const failed = { outcome: 'failed', subject: 's', reason: 'r' } as const;
  expect(applySummaryText({ done, undone: Array(undone).fill(failed), notices, faults: [] })).toBe(text);
});

describe('service logs of a plan', () => {
  const log = (cluster: string, reason: string) => ({ cluster, uuid: cluster, summary: 's', reason });
  const serviceLogs = [log('a', 'sectors are a cycle'), log('b', 'sectors are a cycle'), log('b', 'no schedule')];
  const [organization] = plan(UPGRADE).organizations;
  const withLogs = { environments: [], organizations: organization ? [{ ...organization, serviceLogs }] : [] };

  it('are listed by reason, and one by one in the wide table', () => {
    expect(serviceLogTable(withLogs, 'usual').rows).toEqual([
      ['first', 'a and 1 other cluster', 'sectors are a cycle'],
      ['first', 'b', 'no schedule'],
    ]);
    expect(serviceLogTable(withLogs, 'wide').rows).toHaveLength(3);
  });

  it('are counted with the changes, and in the question', () => {
    expect(upgradePlanSummary(withLogs)).toBe('Plan: 1 upgrade, 3 service logs; 0 waiting, 0 with nothing newer.');
    expect(applyQuestion(1, 3)).toBe('Make 1 change and send 3 service logs');
    expect(applyQuestion(0, 1)).toBe('Send 1 service log');
  });
});
