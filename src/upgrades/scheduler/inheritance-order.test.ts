import { describe, expect, it } from 'vitest';
import { type GivenOrganization, member, minutes, upgradeWorld } from '../../../test/support/upgrade-world.ts';
import { type SimulatedSchedulerOptions, simulatedScheduler, type World } from '../../sim/index.ts';
import { QONTRACT_RULES } from '../engine/rules.ts';
import { fleetPlan } from '../views/plan.ts';
import { isSkipped, type OrganizationOutcome } from './plan-organization.ts';

const NEVER = { schedule: '0 8 1 1 *' };
const inherit = (from: string) => ({ 'version-data.inherit': from });
const publish = (to: string) => ({ 'version-data.publish': to });

/** The heir comes first by id, and has everything but the floor. */
const HEIR: GivenOrganization = {
  id: 'a-heir',
  aus: { ...inherit('b-source'), 'sector-deps.s': '' },
  clusters: [member('heir', { sector: 's' })],
};
const SOURCE: GivenOrganization = {
  id: 'b-source',
  aus: publish('a-heir'),
  clusters: [member('canary', NEVER)],
};

type Planned = Parameters<typeof fleetPlan>[0]['organizations'];

const lines = (organizations: Planned): string[] =>
  fleetPlan({ environments: [], organizations }).organizations.flatMap(({ clusters }) =>
    clusters.map(({ name, action, gate = '', to = '', reason }) => [name, action, gate, to, reason].join(' ')),
  );

async function passOf(world: World, options: SimulatedSchedulerOptions = {}): Promise<string[]> {
  const { organizations } = await simulatedScheduler([world], options).pass();
  return lines(organizations.map(({ outcome }) => outcome));
}

describe('the first pass, without any history', () => {
  it('keeps the inherited floor: sources are decided first, whatever their ids', async () => {
    const waits = 'heir wait inherited-floor 4.18.3 inherited workload wl still has clusters on 4.18.1';
    expect((await passOf(upgradeWorld([HEIR, SOURCE])))[0]).toBe(waits);
  });

  it('is the same as a plan and as a dry run', async () => {
    const scheduler = simulatedScheduler([upgradeWorld([HEIR, SOURCE])]);
    const planned = lines((await scheduler.plan()).organizations);
    const dry = (await scheduler.pass(undefined, { dryRun: true })).organizations.map(({ outcome }) => outcome);
    const passed = (await scheduler.pass()).organizations.map(({ outcome }) => outcome);
    expect([planned, lines(dry)]).toEqual([lines(passed), lines(passed)]);
  });

  it.each([
    { rules: undefined, is: 'heir wait inherited-floor 4.18.3 no history yet of test/b-source' },
    { rules: QONTRACT_RULES, is: 'heir upgrade  4.18.3' },
  ])('holds while a source that another scheduler serves has no history: $is', async ({ rules, is }) => {
    const serves = (orgId: string) => orgId === 'a-heir';
    const [first] = await passOf(upgradeWorld([HEIR, SOURCE]), { serves, ...(rules && { rules }) });
    expect(first?.slice(0, is.length)).toBe(is);
  });
});

describe('a later pass', () => {
  it('knows what its own pass saw of a source, not what the last one saw', async () => {
    const late = { ...member('late'), aus: {} };
    const source = { ...SOURCE, clusters: [member('canary', NEVER, { version: '4.18.3' }), late] };
    const heir = { ...HEIR, clusters: [member('heir', { sector: 's', schedule: '30 15 * * *' })] };
    const world = upgradeWorld([heir, source]);
    const scheduler = simulatedScheduler([world]);
    await scheduler.pass();
    world.setPolicyLabels('late', { workloads: 'wl', 'soak-days': '0', ...NEVER });
    const { organizations } = await scheduler.pass(minutes(325));
    expect(lines(organizations.map(({ outcome }) => outcome))[0]).toBe(
      'heir wait inherited-floor 4.18.3 inherited workload wl still has clusters on 4.18.1',
    );
  });
});

describe('organizations that inherit from each other in a circle', () => {
  const ring = (ids: readonly string[]): GivenOrganization[] =>
    ids.map((id, nth) => ({
      id,
      aus: {
        ...inherit(ids[(nth + 1) % ids.length] ?? ''),
        ...publish(ids[(nth + ids.length - 1) % ids.length] ?? ''),
        'sector-deps.s': '',
      },
      clusters: [member(`${id}-c`, { sector: 's' })],
    }));

  it.each([[['a', 'b', 'c']], [['c', 'b', 'a']]])('are decided by id, and reported: %j', async (ids) => {
    const scheduler = simulatedScheduler([upgradeWorld(ring(ids))]);
    const { organizations } = await scheduler.pass();
    const waiting = organizations.map(({ outcome }) => lines([outcome])[0]?.includes('no history yet of') ?? false);
    expect(waiting).toEqual(ids[0] === 'a' ? [true, true, false] : [true, false, false]);
    expect(warnings(organizations.map(({ outcome }) => outcome))).toEqual(
      ['a', 'b', 'c'].map(() => 'organizations inherit history from each other in a circle: a, b, c'),
    );
    const next = (await scheduler.pass(minutes(1))).organizations.map(({ outcome }) => lines([outcome])[0]);
    expect(next.filter((line) => line?.includes('no history yet'))).toEqual([]);
  });
});

const warnings = (outcomes: readonly OrganizationOutcome[]): string[] =>
  outcomes.flatMap((outcome) => (isSkipped(outcome) ? [] : outcome.spec.problems.map(({ message }) => message)));
