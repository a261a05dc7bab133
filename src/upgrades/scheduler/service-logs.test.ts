import { describe, expect, it } from 'vitest';
import { member, minutes, upgradeWorld } from '../../../test/support/upgrade-world.ts';
import { type Intercept, simulatedScheduler, type World, type WorldCall } from '../../sim/index.ts';
import { type ClusterId, type ClusterUuid, error, warning } from '../policies/org-spec.ts';
import { noticesOf } from './service-logs.ts';

const DAY = 24 * 60;

const logs = (world: World) =>
  [...world.state.logs.all()]
    .filter(({ serviceName }) => serviceName === 'advanced-upgrade-scheduler')
    .map(({ clusterUuid, severity, summary, description }) => ({ clusterUuid, severity, summary, description }));

const broken = () =>
  upgradeWorld([{ id: 'org-1', clusters: [member('a', { schedule: 'soon', 'soak-days': 'few' }), member('b')] }]);

function counting(calls: WorldCall[]): () => Intercept {
  return () => (call, act) => {
    calls.push(call);
    return act();
  };
}

describe('users with wrong labels', () => {
  it('are told once for each problem: what, which label, and what to do', async () => {
    const world = broken();
    await simulatedScheduler([world]).pass();
    expect(logs(world)).toEqual([
      {
        clusterUuid: 'a-uuid',
        severity: 'Moderate',
        summary: 'Cluster upgrade policy validation errors',
        description: expect.stringMatching(
          /^The label sre-capabilities\.aus\.soak-days of this cluster is invalid: .+\nTo fix it: use a number, such as 7\n.+\n[0-9a-f]{16}$/,
        ),
      },
      {
        clusterUuid: 'a-uuid',
        severity: 'Moderate',
        summary: 'Cluster upgrade policy validation errors',
        description: expect.stringContaining('sre-capabilities.aus.schedule'),
      },
    ]);
  });

  it('are not told again within a day, also by a scheduler that remembers nothing; then they are', async () => {
    const world = broken();
    const first = simulatedScheduler([world]);
    await first.pass();
    await first.pass(minutes(10));
    await simulatedScheduler([world]).pass(minutes(DAY - 1));
    expect(logs(world)).toHaveLength(2);
    await simulatedScheduler([world]).pass(minutes(DAY + 1));
    expect(logs(world)).toHaveLength(4);
  });

  it('are told at once of something new', async () => {
    const world = broken();
    const scheduler = simulatedScheduler([world]);
    await scheduler.pass();
    world.setPolicyLabels('a', { schedule: 'later' });
    await scheduler.pass(minutes(10));
    expect(logs(world).map(({ description }) => description.includes('later'))).toEqual([false, false, true]);
  });

  it('cost one list for each cluster that is concerned, and none while it is known', async () => {
    const calls: WorldCall[] = [];
    const scheduler = simulatedScheduler([broken()], { intercept: counting(calls) });
    await scheduler.pass();
    await scheduler.pass(minutes(10));
    expect(calls.filter(({ name }) => name === 'listServiceLogs').map(({ args }) => args[0])).toEqual(['a-uuid']);
  });

  it('of the organization are told on each cluster', async () => {
    const world = upgradeWorld([
      { id: 'org-1', aus: { 'sector-deps.a': 'b', 'sector-deps.b': 'a' }, clusters: [member('a'), member('b')] },
    ]);
    await simulatedScheduler([world]).pass();
    expect(logs(world).map(({ clusterUuid, summary }) => `${clusterUuid} ${summary}`)).toEqual([
      'a-uuid AUS configuration error on organization',
      'b-uuid AUS configuration error on organization',
    ]);
  });

  it('are not told of what is wrong with OCM or with us', async () => {
    const world = upgradeWorld([{ id: 'org-1', clusters: [member('a')] }]);
    const faults: Intercept = (call, act) => {
      if (call.name === 'listPolicies' || call.name === 'createPolicy') throw new Error('https://internal.example.com');
      return act();
    };
    const health = [{ provider: 'telemeter', enforced: true }];
    const scheduler = simulatedScheduler([world], { intercept: () => faults, healthChecks: health });
    const { organizations } = await scheduler.pass();
    expect(organizations[0]?.outcome).toMatchObject({ faults: [{ code: 'HEALTH_PROVIDER_MISSING' }, {}] });
    expect(logs(world)).toEqual([]);
  });

  it('hear of it in the next pass when a log could not be written', async () => {
    const world = broken();
    let failed = false;
    const once: Intercept = (call, act) => {
      if (call.name !== 'createServiceLog' || failed) return act();
      failed = true;
      throw new Error('it answered 403');
    };
    const scheduler = simulatedScheduler([world], { intercept: () => once });
    const { organizations } = await scheduler.pass();
    expect(organizations[0]?.faults).toMatchObject([
      { message: 'cannot notify the users of cluster a: it answered 403' },
    ]);
    await scheduler.pass(minutes(1));
    expect(logs(world)).toHaveLength(2);
  });
});

describe('what is told', () => {
  const cluster = { id: 'a' as ClusterId, uuid: 'u' as ClusterUuid, name: 'a' };
  const own = { kind: 'cluster', cluster } as const;

  it('has its limits', () => {
    const many = Array.from({ length: 40 }, (_, index) => ({
      scope: own,
      ...error(`k${index}`, 'x'.repeat(5_000), 'y'),
    }));
    const notices = noticesOf(many, [cluster]);
    expect(notices).toHaveLength(10);
    expect(Math.max(...notices.map(({ description }) => description.length))).toBeLessThan(3_200);
    const common = { scope: { kind: 'organization' } as const, ...error('k', 'm', 'h') };
    const clusters = Array.from({ length: 600 }, (_, index) => ({ ...cluster, id: `c${index}` as ClusterId }));
    expect(noticesOf([common], clusters)).toHaveLength(500);
  });

  it('is said once, and warnings not at all', () => {
    const problems = [error('k', 'm', 'h'), error('k', 'm', 'h'), warning('k', 'w', 'h')];
    expect(
      noticesOf(
        problems.map((each) => ({ scope: own, ...each })),
        [cluster],
      ),
    ).toHaveLength(1);
  });
});
