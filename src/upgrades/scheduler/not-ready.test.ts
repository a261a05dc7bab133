import { describe, expect, it } from 'vitest';
import { declaredIn, entry } from '../../../test/support/declared-organizations.ts';
import { type GivenCluster, member, minutes, upgradeWorld } from '../../../test/support/upgrade-world.ts';
import { memoryStateStore } from '../../base/index.ts';
import type { OrgId } from '../../instance/index.ts';
import { worldApi } from '../../sim/index.ts';
import { DEFAULT_RULES, QONTRACT_RULES, type Rules } from '../engine/rules.ts';
import type { DeclaredPolicies } from '../policies/organization-file.ts';
import { fleetPlan } from '../views/plan.ts';
import { createScheduler } from './scheduler.ts';

const SECTORS = { 'sector-deps.early': '', 'sector-deps.late': 'early' };
const GOOD = member('good', { sector: 'late' });
const asleep = (aus: Record<string, string>, state = 'hibernating') => member('asleep', aus, { state });

interface Given {
  readonly rules?: Rules;
  readonly declared?: DeclaredPolicies;
}

/** Two passes, ten minutes apart: what the second one shows, and the stored history. */
async function passes(clusters: readonly GivenCluster[], { rules = QONTRACT_RULES, declared }: Given = {}) {
  const world = upgradeWorld([{ id: 'org', aus: SECTORS, clusters }]);
  const api = worldApi(world);
  const store = memoryStateStore();
  const site = {
    ...{ name: 'test', connect: async () => api, health: new Map() },
    serves: (orgId: string) => ({ orgId: orgId as OrgId, healthChecks: [] }),
    ...(declared && { declared }),
  };
  const scheduler = createScheduler({ integration: 'i', store, rules, clock: world });
  const first = await scheduler.pass({ sites: [site] });
  world.advanceTo(minutes(10));
  await scheduler.pass({ sites: [site] });
  const { organizations } = fleetPlan({
    ...first,
    organizations: first.organizations.map(({ outcome }) => outcome),
  });
  const history = await store.read('i/test/org');
  return {
    rows: organizations.flatMap((each) => each.clusters.map(({ name, action }) => `${name} ${action}`)),
    stops: organizations.flatMap(({ stopped }) => stopped ?? []),
    history: history === undefined ? undefined : new TextDecoder().decode(history.value),
  };
}

describe('a cluster that is not ready, by the rules of the existing scheduler', () => {
  it.each([
    { given: 'soak days that are none', aus: { 'soak-days': 'few' } },
    { given: 'a sector that is not declared', aus: { sector: 'nowhere' } },
    { given: 'no schedule', aus: { schedule: '' } },
    { given: 'a pattern that is none', aus: { 'blocked-versions': '(' } },
    { given: 'a sector that others depend on', aus: { sector: 'early' } },
  ])('is as if it were not there, with $given', async ({ aus }) => {
    const without = await passes([GOOD]);
    expect(without.rows).toEqual(['good upgrade']);
    expect(await passes([asleep(aus), GOOD])).toEqual(without);
  });

  it.each(['installing', 'error', 'uninstalling', 'powering_down', 'unknown'])('whether it is %s', async (state) => {
    expect((await passes([asleep({ 'soak-days': 'few' }, state), GOOD])).rows).toEqual(['good upgrade']);
  });

  it('leaves an organization that has no other unobserved, so that the gap is credited later', async () => {
    expect(await passes([asleep({})])).toEqual({ rows: [], stops: [], history: undefined });
  });

  it('is not read from a file either', async () => {
    const declared = declaredIn({
      org: { upgradePolicyClusters: [entry('asleep', { sector: 'nowhere' }), entry('good')] },
    });
    const { rows } = await passes([asleep({}), GOOD], { declared });
    expect(rows).toEqual(['good upgrade']);
  });

  it('stops its organization with a bad label once it is ready', async () => {
    expect((await passes([asleep({ 'soak-days': 'few' }, 'ready'), GOOD])).rows).toEqual(['good hold', 'asleep hold']);
  });

  it('is held and counts by the default rules', async () => {
    const { rows } = await passes([asleep({ sector: 'early' }), GOOD], { rules: DEFAULT_RULES });
    expect(rows.toSorted()).toEqual(['asleep hold', 'good wait']);
  });
});
