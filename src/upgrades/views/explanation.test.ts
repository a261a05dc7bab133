import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quietWorld } from '../../../test/support/forecast-fleet.ts';
import { holdsAsync } from '../../../test/support/property.ts';
import { at } from '../../../test/support/upgrade-facts.ts';
import { member, upgradeWorld } from '../../../test/support/upgrade-world.ts';
import { broken, openingText, pass, wait } from '../../gates/index.ts';
import { simulatedScheduler, type World } from '../../sim/index.ts';
import { UPGRADE_GATES } from '../engine/decide.ts';
import type { UpgradeVerdict } from '../engine/gate.ts';
import { type ClusterExplanation, earliestOf, explainClusters, explanationsOf, openingOf } from './explanation.ts';

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

const VERSION = '4.19.2';
const NOON = at('2026-03-02T12:00:00Z');

describe('what has to happen before a gate opens', () => {
  it.each<{ verdict: UpgradeVerdict; text: string }>([
    { verdict: wait('sector', '…', { waitsOn: 'canary-1' }), text: 'after canary-1 runs 4.19.2 or a newer version' },
    {
      verdict: wait('soak', '…', { waitsOn: 'shop' }),
      text: 'after a healthy cluster with the workload shop runs 4.19.2',
    },
    { verdict: wait('soak', '…', { waitsOn: 'shop', until: NOON }), text: '2026-03-02T12:00:00Z' },
    { verdict: wait('mutex', '…', { waitsOn: 'prod-1' }), text: 'after the upgrade of prod-1 is over' },
    { verdict: wait('mutex', '…', { waitsOn: 'a, b' }), text: 'after one of the upgrades of a, b is over' },
    { verdict: wait('mutex', '…'), text: 'after its own upgrade is over' },
    { verdict: wait('busy', '…', { waitsOn: '4.18.9' }), text: 'after its upgrade to 4.18.9 is over' },
    { verdict: wait('version-gate', '…', { waitsOn: 'gate-ocp' }), text: 'after a user agrees to gate-ocp for 4.19' },
    {
      verdict: wait('blocked', '…', { waitsOn: 'block "19" of the cluster' }),
      text: 'after the block "19" of the cluster is removed',
    },
    { verdict: wait('health', '…'), text: 'after its health check passes again' },
    { verdict: broken('busy', 'cluster', '…'), text: 'after it has only one upgrade policy' },
    { verdict: broken('mutex', 'organization', '…'), text: 'after the limit of its sector is fixed' },
  ])('is told without the rest of the page: $text', ({ verdict, text }) => {
    expect(openingText(openingOf(verdict, VERSION))).toBe(text);
  });

  it.each([...UPGRADE_GATES.keys()].filter((gate) => gate !== 'soak'))(
    'is told even when the gate %s names nobody',
    (gate) => {
      expect(openingText(openingOf(wait(gate, '…'), VERSION))).not.toMatch(/that cluster|those|unknown/);
    },
  );
});

describe('when all gates can be open', () => {
  it('not before the latest time, and after everything that has none, each once', () => {
    const verdicts = [
      pass('available', '…'),
      wait('blocked', '…', { waitsOn: 'block "19" of the cluster' }),
      wait('sector', '…', { waitsOn: 'canary-1' }),
      wait('soak', '…', { until: at('2026-03-02T11:00:00Z') }),
      wait('schedule', '…', { until: NOON }),
    ];
    expect(openingText(earliestOf(verdicts, VERSION) ?? { after: '' })).toBe(
      '2026-03-02T12:00:00Z, and after the block "19" of the cluster is removed, ' +
        'and after canary-1 runs 4.19.2 or a newer version',
    );
  });

  it('an upgrade of its own is told once', () => {
    const verdicts = [wait('mutex', '…'), wait('busy', '…', { waitsOn: '4.18.9' })];
    expect(earliestOf(verdicts, VERSION)).toEqual({ after: 'its upgrade to 4.18.9 is over' });
  });

  it('is not told where none is closed', () => {
    expect(earliestOf([pass('soak', '…')], VERSION)).toBeUndefined();
  });
});
