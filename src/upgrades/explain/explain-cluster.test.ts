import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quietWorld } from '../../../test/support/forecast-fleet.ts';
import { holdsAsync } from '../../../test/support/property.ts';
import { member, upgradeWorld } from '../../../test/support/upgrade-world.ts';
import { simulatedScheduler, type World } from '../../sim/index.ts';
import { type ClusterExplanation, explainClusters, explanationsOf } from './explain-cluster.ts';

const UPGRADED = ['upgrade', 'upgrade-node-pool'];
const HOUR = 3_600_000;

async function explained(world: World): Promise<ClusterExplanation[]> {
  return explainClusters((await simulatedScheduler([world]).plan()).organizations);
}

function closed({ before, candidates }: ClusterExplanation) {
  return [...before, ...candidates.flatMap(({ gates }) => gates)].filter(({ state }) => state !== 'pass');
}

describe('explain', () => {
  it('every cluster that is not upgraded has a closed gate, which says when or after what it can open', async () => {
    let waiting = 0;
    await holdsAsync(
      fc.asyncProperty(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 1, max: 30 }), async (seed, hours) => {
        const world = quietWorld(seed);
        const scheduler = simulatedScheduler([world]);
        const start = world.now().getTime();
        for (const at of [0, 1, hours]) await scheduler.pass(new Date(start + at * HOUR));
        const all = explainClusters((await scheduler.plan()).organizations);
        expect(all).toHaveLength([...world.state.clusters.all()].length);
        for (const cluster of all.filter(({ action }) => !UPGRADED.includes(action))) {
          waiting += 1;
          expect(closed(cluster).length, cluster.name).toBeGreaterThan(0);
        }
        const openings = all.flatMap(closed).map(({ opens, reason }) => ({ opens, reason }));
        for (const { opens, reason } of openings) {
          expect(opens).toBeDefined();
          expect(`${reason} ${JSON.stringify(opens)}`).not.toMatch(/unknown|undefined|NaN/i);
        }
      }),
      { numRuns: 30 },
    );
    expect(waiting).toBeGreaterThan(30);
  });

  it('marks exactly what is taken', async () => {
    const world = upgradeWorld([{ id: 'org-1', clusters: [member('alpha'), member('beta', { 'soak-days': 3 })] }]);
    const [alpha, beta] = await explained(world);
    expect(alpha?.candidates.map(({ version, chosen }) => [version, chosen])).toEqual([
      ['4.18.3', true],
      ['4.18.2', false],
    ]);
    expect(beta?.candidates.some(({ chosen }) => chosen)).toBe(false);
  });

  it.each([
    {
      gate: 'blocked',
      aus: { 'blocked-versions': '18' },
      opens: { after: 'the block "18" of the cluster is removed' },
    },
    { gate: 'soak', aus: { 'soak-days': 2 }, opens: { after: 'a healthy cluster with the workload wl runs 4.18.3' } },
    { gate: 'schedule', aus: { schedule: '0 15 * * *' }, opens: { at: '2026-03-02T13:00:00Z' } },
    { gate: 'mutex', aus: { mutexes: 'm' }, opens: { after: 'the upgrade of alpha is over' } },
    { gate: 'sector', aus: { sector: 'prod' }, opens: { after: 'alpha runs 4.18.3 or a newer version' } },
  ])('tells when the gate $gate can open', async ({ gate, aus, opens }) => {
    const first = member('alpha', { mutexes: 'm', sector: 'canary' });
    const sectors = { 'sector-deps.canary': '', 'sector-deps.prod': 'canary' };
    const world = upgradeWorld([{ id: 'org-1', aus: sectors, clusters: [first, member('beta', aus)] }]);
    const [beta] = explanationsOf(await explained(world), 'beta-uuid');
    const shut = beta?.candidates[0]?.gates.filter(({ state }) => state === 'wait') ?? [];
    expect(shut.map((each) => [each.gate, each.opens])).toEqual([[gate, opens]]);
    expect(beta?.candidates[0]?.opens).toEqual(opens);
  });

  it('of several closed gates the last to open counts, and what has no time besides', async () => {
    const labels = { schedule: '0 15 * * *', 'blocked-versions': '3$' };
    const world = upgradeWorld([{ id: 'org-1', clusters: [member('alpha', labels)] }]);
    const [alpha] = await explained(world);
    expect(alpha?.candidates.map(({ opens }) => opens)).toEqual([
      { at: '2026-03-02T13:00:00Z', after: 'the block "3$" of the cluster is removed' },
      { at: '2026-03-02T13:00:00Z' },
    ]);
  });

  it('explains clusters without candidates, held ones, and those of a stopped organization', async () => {
    const world = upgradeWorld([
      {
        id: 'org-1',
        clusters: [
          member('alpha', {}, { version: '4.18.3' }),
          member('beta', { 'soak-days': 'few' }),
          member('delta', {}, { state: 'hibernating' }),
        ],
      },
      { id: 'org-2', aus: { 'blocked-versions': '(' }, clusters: [member('gamma')] },
    ]);
    const all = await explained(world);
    expect(all.map(({ name, before: [first] }) => [name, first?.gate, first?.state, first?.opens?.after])).toEqual([
      ['alpha', 'available', 'wait', 'a newer version is offered'],
      ['beta', 'policy', 'broken', 'the policy of the cluster is fixed'],
      ['delta', 'policy', 'broken', 'the cluster is ready again'],
      ['gamma', 'organization', 'broken', 'the configuration of its organization is fixed'],
    ]);
    expect(all[3]?.before[0]?.reason).toContain('blocked-versions');
  });
});
