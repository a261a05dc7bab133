import { describe, expect, it } from 'vitest';
import { member, upgradeWorld } from '../../../test/support/upgrade-world.ts';
import { EchelonError } from '../../base/index.ts';
import { type Intercept, simulatedScheduler, type WorldCall } from '../../sim/index.ts';
import { isSkipped } from './plan-organization.ts';
import type { Listed } from './ports.ts';
import type { FleetReport } from './scheduler.ts';

/** Clusters are listed for 400 subscriptions at once. */
const members = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => member(`${name}-${index}`, { schedule: '0 0 1 1 *' }));
const organization = (name: string, count: number) => ({ id: `org-${name}`, clusters: members(name, count) });

/** Two of them in each list; four are decided on at once. */
const NAMES = 'abcdefghijkl';
const fleet = () => upgradeWorld([...NAMES].map((name) => organization(name, 200)));

/** `org-a` where it was decided on, `!org-a` where it was not. */
const decided = ({ organizations }: FleetReport): string[] =>
  organizations.map(({ outcome }) => `${isSkipped(outcome) ? '!' : ''}${outcome.orgId}`);

function lists(act: (call: number, list: () => unknown) => unknown): Intercept {
  let calls = 0;
  return ({ name }, list) => {
    if (name !== 'listClusters') return list();
    calls += 1;
    return act(calls, list);
  };
}

describe('the clusters of a large fleet', () => {
  it('are listed as organizations take their turn, a batch ahead and no further', async () => {
    const calls: WorldCall[] = [];
    const noting: Intercept = (call, act) => {
      calls.push(call);
      return act();
    };
    const report = await simulatedScheduler([fleet()], { intercept: () => noting }).pass();
    expect(decided(report)).toEqual([...NAMES].map((name) => `org-${name}`));
    const read = calls.map(({ name, args: [first] }) =>
      name === 'listPolicies' ? (first as { clusterId: string }).clusterId.slice(0, 1) : name,
    );
    const listed = read.flatMap((name, index) => (name === 'listClusters' ? [index] : []));
    expect(listed).toHaveLength(6);
    // The fourth list is for g and h: it is requested when e takes its turn, after one of a to d.
    const before = Object.groupBy(read.slice(0, listed[3]), (name) => name);
    expect(Math.max(...['a', 'b', 'c', 'd'].map((name) => before[name]?.length ?? 0))).toBe(200);
    expect(Object.keys(before)).not.toContain('g');
  });

  it('are all there for an organization that is larger than a batch, the oldest first', async () => {
    const world = upgradeWorld([organization('a', 150), organization('b', 900), organization('c', 150)]);
    const { organizations } = await simulatedScheduler([world]).pass();
    const names = organizations.map(({ outcome }) =>
      (isSkipped(outcome) ? [] : outcome.clusters).map(({ name }) => name),
    );
    expect(names.map(({ length }) => length)).toEqual([150, 900, 150]);
    expect(names[1]).toEqual(
      (await simulatedScheduler([upgradeWorld([organization('b', 900)])]).plan()).organizations
        .flatMap((outcome) => (isSkipped(outcome) ? [] : outcome.clusters))
        .map(({ name }) => name),
    );
  });

  it.each([
    { given: 'the first list', broken: 1, skipped: ['!org-a', '!org-b'] },
    { given: 'the last list', broken: 6, skipped: ['!org-k', '!org-l'] },
  ])(
    'stop only organizations of their list where nobody knows whose a record is: $given',
    async ({ broken, skipped }) => {
      const intercept = lists((call, list) => {
        if (call !== broken) return list();
        return { items: (list() as Listed<unknown>).items, problems: [{ id: undefined, known: {}, message: 'odd' }] };
      });
      const all = decided(await simulatedScheduler([fleet()], { intercept: () => intercept }).pass());
      expect([all.length, all.filter((each) => each.startsWith('!'))]).toEqual([NAMES.length, skipped]);
    },
  );

  it('that cannot be listed any more leave what was decided, ask no further, and are an error of their OCM', async () => {
    let calls = 0;
    const intercept = lists((call, list) => {
      calls = call;
      if (call < 4) return list();
      throw new EchelonError({ code: 'OCM_UNREACHABLE', message: 'no route', hint: 'wait' });
    });
    const scheduler = simulatedScheduler([fleet()], { intercept: () => intercept });
    const report = await scheduler.pass();
    expect([decided(report), calls]).toEqual([[...'abcdef'].map((name) => `org-${name}`), 4]);
    expect(report.environments).toMatchObject([
      { fault: { code: 'OCM_UNREACHABLE', message: 'cannot list all clusters: no route' } },
    ]);
  });
});
