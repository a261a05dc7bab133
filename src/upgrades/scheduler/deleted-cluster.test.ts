import { describe, expect, it } from 'vitest';
import { member, minutes, upgradeWorld } from '../../../test/support/upgrade-world.ts';
import { EchelonError } from '../../base/index.ts';
import { type Intercept, simulatedScheduler, type World } from '../../sim/index.ts';
import { hasFailed } from '../metrics/scheduler-metrics.ts';
import type { FleetReport } from './scheduler.ts';

const DAY_11 = 11 * 24 * 60;

function fleet(): World {
  const hosted = { hosted: true, product: 'rosa', node_pools: [{ name: 'np', version: '4.18.0' }] };
  return upgradeWorld([
    {
      id: 'org-1',
      clusters: [
        member('a', {}, { version: '4.18.2' }),
        member('b', {}, { version: '4.18.2' }),
        member('h', {}, hosted),
        member('gated', {}, { version: '4.18.4', channel: 'stable-4.19' }),
        member('moving', {}, { version: '4.18.4' }),
        member('bad', { 'soak-days': 'few' }),
      ],
    },
  ]);
}

const faultsIn = ({ organizations }: FleetReport): string[] =>
  organizations.flatMap(({ outcome, faults, results }) => [
    ...('skipped' in outcome ? outcome.skipped : outcome.faults).map(({ message }) => message),
    ...faults.map(({ message }) => message),
    ...results.flatMap((result) => (['failed', 'refused'].includes(result.outcome) ? [JSON.stringify(result)] : [])),
  ]);

describe('a cluster that is deleted during a pass', () => {
  it.each([
    { before: 'listPolicies', cluster: 'a' },
    { before: 'createPolicy', cluster: 'a' },
    { before: 'listNodePools', cluster: 'h' },
    { before: 'listPolicies', cluster: 'h' },
    { before: 'createPolicy', cluster: 'h' },
    { before: 'listAgreements', cluster: 'gated' },
    { before: 'availableChannels', cluster: 'moving' },
    { before: 'switchChannel', cluster: 'moving' },
  ])('fails nothing, and the others are served: $cluster before $before', async ({ before, cluster }) => {
    const world = fleet();
    let deleted = false;
    const intercept: Intercept = (call, act) => {
      if (!deleted && call.name === before && JSON.stringify(call.args).includes(`"${cluster}-id"`)) {
        deleted = true;
        world.removeCluster(cluster);
      }
      return act();
    };
    const scheduler = simulatedScheduler([world], { intercept: () => intercept });
    const report = await scheduler.pass(minutes(DAY_11));
    expect(deleted).toBe(true);
    expect(faultsIn(report)).toEqual([]);
    expect(report.organizations.some(hasFailed)).toBe(false);
    const done = report.organizations.flatMap(({ results }) => results.filter(({ outcome }) => outcome === 'done'));
    expect(done.map(({ item }) => item.clusterId)).toContain('b-id');
    expect(faultsIn(await scheduler.pass(minutes(DAY_11 + 1)))).toEqual([]);
  });

  it('is reported where OCM goes on to list it', async () => {
    const world = fleet();
    const ghost: Intercept = (call, act) => {
      if (call.name !== 'listPolicies' || !JSON.stringify(call.args).includes('"a-id"')) return act();
      throw new EchelonError({ code: 'OCM_NOT_FOUND', message: 'no a-id', hint: '' });
    };
    const scheduler = simulatedScheduler([world], { intercept: () => ghost });
    expect(faultsIn(await scheduler.pass(minutes(1)))).toEqual([]);
    const [fault] = faultsIn(await scheduler.pass(minutes(2)));
    expect(fault).toMatch(/^cluster a: cannot read its upgrade policies, so it counts as busy/);
  });
});
