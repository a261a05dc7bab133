import { describe, expect, it } from 'vitest';
import { member, minutes, upgradeWorld } from '../../../test/support/upgrade-world.ts';
import { createMetrics } from '../../runtime/index.ts';
import { type Intercept, simulatedScheduler } from '../../sim/index.ts';
import { upgradeMetrics } from './upgrade-metrics.ts';

async function setUp() {
  const metrics = await createMetrics({ integration: 'aus', shards: 1, shardId: 0, processMetrics: false });
  const world = upgradeWorld([
    { id: 'org-1', clusters: [member('a')] },
    { id: 'org-2', clusters: [member('b')] },
  ]);
  let intercept: Intercept = (_, act) => act();
  let served = ['org-1', 'org-2'];
  const scheduler = simulatedScheduler([world], {
    intercept: () => (call, act) => intercept(call, act),
    serves: (orgId) => served.includes(orgId),
  });
  const own = upgradeMetrics(metrics, 'aus');
  return {
    pass: async (minute: number): Promise<string> => {
      const { environments, organizations } = await scheduler.pass(minutes(minute));
      own.passed({ environments, organizations: organizations.map(own.observed) });
      return metrics.render();
    },
    fail: (with_: Intercept) => {
      intercept = with_;
    },
    serve: (...orgIds: string[]) => {
      served = orgIds;
    },
    world,
  };
}

/** Organizations that have a cluster to show. */
const shown = (text: string): string[] =>
  [...text.matchAll(/^aus_cluster_info\{.*?org_id="([^"]+)"/gm)].map(([, orgId = '']) => orgId);

const value = (text: string, series: RegExp): number =>
  Number(
    text
      .split('\n')
      .find((line) => series.test(line))
      ?.split(' ')
      .at(-1),
  );

describe('metrics of the upgrade scheduler', () => {
  it('keep what an organization showed that cannot be looked at for a while, and count that', async () => {
    const { pass, fail } = await setUp();
    expect(shown(await pass(0))).toEqual(['org-1', 'org-2']);
    fail((call, act) => {
      if (call.name !== 'listSubscriptions') return act();
      const { items } = act() as { items: { organizationId: string }[] };
      const unread = { id: 'x', known: { organization_id: 'org-1' }, message: 'no text' };
      return { items: items.filter(({ organizationId }) => organizationId !== 'org-1'), problems: [unread] };
    });
    const text = await pass(10);
    expect(shown(text).toSorted()).toEqual(['org-1', 'org-2']);
    expect(value(text, /^aus_organization_reconcile_errors_total\{.*org_id="org-1"/)).toBe(1);
    expect(value(text, /^aus_organization_reconcile_errors_total\{.*org_id="org-2"/)).toBe(0);
    expect(value(text, /^aus_organization_reconciled_total\{.*org_id="org-1"/)).toBe(2);
  });

  it('forget an organization that is not served any more', async () => {
    const { pass, serve } = await setUp();
    await pass(0);
    serve('org-2');
    expect(shown(await pass(10))).toEqual(['org-2']);
  });

  it('keep everything while an environment cannot be reached, and count that', async () => {
    const { pass, fail } = await setUp();
    await pass(0);
    fail(() => {
      throw new Error('no route to host');
    });
    const text = await pass(10);
    expect(shown(text)).toEqual(['org-1', 'org-2']);
    expect(value(text, /^aus_ocm_environment_errors_total\{/)).toBe(1);
  });

  it.each([
    { outcome: 'refused', answer: () => ({ outcome: 'refused', reason: 'no', missingGates: [] }) },
    { outcome: 'unconfirmed', answer: () => ({ outcome: 'unconfirmed', reason: 'no answer' }) },
    {
      outcome: 'failed',
      answer: () => {
        throw new Error('no connection');
      },
    },
  ])('count a creation that was $outcome', async ({ outcome, answer }) => {
    const { pass, fail } = await setUp();
    fail((call, act) => (call.name === 'createPolicy' ? answer() : act()));
    const text = await pass(0);
    const of = (name: string): number =>
      value(text, new RegExp(`^aus_policy_create_failures_total\\{.*org_id="org-1",outcome="${name}"`));
    expect(['refused', 'unconfirmed', 'failed'].map(of)).toEqual(
      ['refused', 'unconfirmed', 'failed'].map((name) => Number(name === outcome)),
    );
  });
});
