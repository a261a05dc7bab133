import { describe, expect, it } from 'vitest';
import { type GivenCluster, member, minutes, upgradeWorld } from '../../../test/support/upgrade-world.ts';
import { simulatedScheduler } from '../../sim/index.ts';
import { organizationPlan } from './plan.ts';

async function rows(clusters: readonly GivenCluster[], aus: Record<string, string> = {}, minute = 0, parts = {}) {
  const world = upgradeWorld([{ id: 'org-1', aus, clusters }], parts);
  world.advanceTo(minutes(minute));
  const { organizations } = await simulatedScheduler([world]).plan();
  return organizations.flatMap((each) => organizationPlan(each).clusters);
}

const HOSTED = { hosted: true, product: 'rosa', version: '4.18.3', node_pools: [{ name: 'np', version: '4.18.1' }] };
const DAY = 24 * 60;

describe('a row of a plan', () => {
  it.each([
    {
      given: 'an upgrade',
      cluster: member('a'),
      row: { action: 'upgrade', to: '4.18.3', startsAt: '2026-03-02T10:07:00Z' },
    },
    {
      given: 'a node pool that lags',
      cluster: member('a', {}, HOSTED),
      row: { action: 'upgrade-node-pool', nodePool: 'np', to: '4.18.3', startsAt: '2026-03-02T10:07:00Z' },
    },
    {
      given: 'a window that is not open',
      cluster: member('a', { schedule: '0 15 * * *' }),
      row: {
        ...{ action: 'wait', gate: 'schedule', to: '4.18.3', until: '2026-03-02T13:00:00Z' },
        reason: 'the next slot is 2026-03-02T15:00:00Z',
      },
    },
    {
      given: 'a window that is not open, and too little soak',
      cluster: member('a', { schedule: '0 15 * * *', 'soak-days': 2 }),
      row: { action: 'wait', gate: 'soak', to: '4.18.3', reason: 'wl has soaked 0 of 2 days' },
    },
    {
      given: 'the highest version blocked, and the next without soak',
      cluster: member('a', { 'blocked-versions': '^4\\.18\\.3$', 'soak-days': 2 }),
      row: { action: 'wait', gate: 'soak', to: '4.18.2', reason: 'wl has soaked 0 of 2 days' },
    },
    {
      given: 'the highest version blocked, the next ready, and a window that is not open',
      cluster: member('a', { 'blocked-versions': '^4\\.18\\.3$', schedule: '0 15 * * *' }),
      row: { action: 'wait', gate: 'schedule', to: '4.18.2', reason: 'the next slot is 2026-03-02T15:00:00Z' },
    },
    {
      given: 'every version blocked',
      cluster: member('a', { 'blocked-versions': '.*', schedule: '0 15 * * *' }),
      row: { action: 'wait', gate: 'blocked', to: '4.18.3' },
    },
    {
      given: 'too little soak',
      cluster: member('a', { 'soak-days': 2 }),
      row: { action: 'wait', gate: 'soak', to: '4.18.3', reason: 'wl has soaked 0 of 2 days' },
    },
    {
      given: 'a blocked version',
      cluster: member('a', { 'blocked-versions': '4' }),
      row: { action: 'wait', gate: 'blocked' },
    },
    {
      given: 'wrong labels',
      cluster: member('a', { 'soak-days': 'few' }),
      row: { action: 'hold', reason: 'sre-capabilities.aus.soak-days: not a whole number of days' },
    },
    {
      given: 'a cluster that sleeps',
      cluster: member('a', {}, { state: 'hibernating' }),
      row: { action: 'hold', reason: 'it is hibernating' },
    },
    {
      given: 'nothing newer',
      cluster: member('a', {}, { version: '4.18.3' }),
      row: { action: 'none', reason: 'no newer version is offered' },
    },
    {
      given: 'an upgrade under way',
      cluster: member('a', {}, { policy: { version: '4.18.2', next_run: '2026-03-02T11:00:00Z' } }),
      row: { action: 'wait', gate: 'busy', reason: 'an upgrade to 4.18.2 is pending' },
    },
  ])('tells $given', async ({ cluster, row }) => {
    const found = await rows([cluster]);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ name: 'a', id: 'a-id', uuid: 'a-uuid', ...row });
  });

  it('tells which gates are to be agreed to', async () => {
    const found = await rows([member('a', {}, { version: '4.18.4', channel: 'stable-4.19' })], {}, 11 * DAY);
    expect(found).toMatchObject([
      { action: 'agree-gates', to: '4.19.1', reason: 'not agreed for 4.19: api.openshift.com/gate-ocp' },
    ]);
  });

  it('tells of a channel, and what the cluster waits for besides', async () => {
    const found = await rows([member('a', { schedule: '0 3 * * *' }, { version: '4.18.4' })], {}, 11 * DAY);
    expect(found).toMatchObject([{ action: 'switch-channel', to: 'stable-4.19' }]);
  });

  it('comes for every cluster, those on the lowest version first and held ones last', async () => {
    const found = await rows([
      member('bad', { schedule: 'x' }),
      member('new', {}, { version: '4.18.3' }),
      member('mid', {}, { version: '4.18.2' }),
      member('old'),
    ]);
    expect(found.map(({ name }) => name)).toEqual(['old', 'mid', 'new', 'bad']);
  });
});

describe('the plan of an organization', () => {
  it('says what stops it', async () => {
    const world = upgradeWorld([{ id: 'org-1', aus: { 'blocked-versions': '(' }, clusters: [member('a')] }]);
    const { organizations } = await simulatedScheduler([world]).plan();
    const [plan] = organizations.map(organizationPlan);
    expect(plan).toMatchObject({
      ...{ skipped: [], stopped: expect.stringContaining('blocked-versions') },
      clusters: [{ name: 'a', action: 'hold', reason: 'its organization is stopped' }],
    });
  });

  it('says why it could not be looked at', async () => {
    const world = upgradeWorld([{ id: 'org-1', clusters: [member('a')] }]);
    const scheduler = simulatedScheduler([world]);
    await scheduler.store.write('advanced-upgrade-scheduler/test/org-1', new Uint8Array(), 'absent');
    const { organizations } = await scheduler.plan();
    expect(organizations.map(organizationPlan)).toMatchObject([{ clusters: [], skipped: [{ code: 'STATE_CORRUPT' }] }]);
  });
});
