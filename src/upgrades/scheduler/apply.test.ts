import { describe, expect, it } from 'vitest';
import { member, minutes, upgradeWorld } from '../../../test/support/upgrade-world.ts';
import { EchelonError } from '../../base/index.ts';
import { instantOf, later, MICROS } from '../../gates/index.ts';
import { type Intercept, simulatedScheduler, worldApi } from '../../sim/index.ts';
import type { PlanItem } from '../engine/choose.ts';
import type { Version } from '../engine/versions.ts';
import type { ClusterId } from '../policies/org-spec.ts';
import { type ExecuteParts, executeItems } from './apply.ts';

const NOW = instantOf(minutes(0).getTime());

const upgrade = (cluster: string, lead: number): PlanItem => ({
  action: 'upgrade',
  kind: 'cluster',
  clusterId: `${cluster}-id` as ClusterId,
  version: '4.18.3' as Version,
  nextRun: later(NOW, lead),
});

function setUp(more: Partial<ExecuteParts> = {}, intercept?: Intercept) {
  const world = upgradeWorld([{ id: 'org-1', clusters: ['a', 'b', 'c'].map((name) => member(name)) }]);
  const parts: ExecuteParts = {
    ...{ api: worldApi(world, intercept), gates: [], now: () => NOW, mayWrite: () => true },
    signal: new AbortController().signal,
    ...more,
  };
  const run = async (...items: PlanItem[]): Promise<string[]> => {
    const results = await executeItems(items, parts);
    return results.map((result) => `${result.item.clusterId} ${result.outcome}`);
  };
  return { world, run };
}

describe('items of a plan', () => {
  it.each([
    { given: 'enough time', lead: 5 * MICROS.minute, came: 'a-id done' },
    { given: 'a second less', lead: 5 * MICROS.minute - MICROS.second, came: 'a-id skipped' },
    { given: 'a start that has passed', lead: -MICROS.minute, came: 'a-id skipped' },
  ])('are asked for with the lead that OCM wants, promise U5: $given', async ({ lead, came }) => {
    expect(await setUp().run(upgrade('a', lead))).toEqual([came]);
  });

  it('are left alone from the moment on that another replica leads', async () => {
    let left = 1;
    const { run, world } = setUp({
      mayWrite: () => {
        left -= 1;
        return left >= 0;
      },
    });
    expect(await run(upgrade('a', MICROS.hour), upgrade('b', MICROS.hour))).toEqual(['a-id done', 'b-id skipped']);
    expect([...world.state.policies.all()]).toHaveLength(1);
  });

  it('are left alone when the client finds out that another replica leads', async () => {
    const lost = new EchelonError({ code: 'LEASE_LOST', message: 'POST was not sent', hint: 'none' });
    const { run, world } = setUp({}, () => Promise.reject(lost));
    expect(await run(upgrade('a', MICROS.hour))).toEqual(['a-id skipped']);
    expect([...world.state.policies.all()]).toEqual([]);
  });

  it('are left alone when it is told to end', async () => {
    const { run, world } = setUp({ signal: AbortSignal.abort() });
    expect(await run(upgrade('a', MICROS.hour))).toEqual(['a-id skipped']);
    expect([...world.state.policies.all()]).toEqual([]);
  });

  it('may want something gone that is gone already', async () => {
    const { run } = setUp();
    const cancel = { action: 'cancel', kind: 'cluster', clusterId: 'a-id' as ClusterId, policyId: 'gone' } as const;
    expect(await run({ ...cancel, version: '4.18.3', reason: 'it is blocked' })).toEqual(['a-id done']);
  });
});

describe('a plan that was looked at for too long', () => {
  it('schedules nothing that would start too soon, and the next one does', async () => {
    const world = upgradeWorld([{ id: 'org-1', clusters: [member('a')] }]);
    const scheduler = simulatedScheduler([world]);
    const planned = await scheduler.plan();
    world.advanceTo(minutes(3));
    const { organizations } = await planned.apply();
    expect(organizations[0]?.results).toMatchObject([
      { outcome: 'skipped', reason: 'too late for a start at 2026-03-02T10:07:00Z' },
    ]);
    const next = await scheduler.pass(minutes(4));
    expect(next.organizations[0]?.results).toMatchObject([{ outcome: 'done' }]);
  });
});
