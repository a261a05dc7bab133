import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { member, minutes, upgradeWorld } from '../../../test/support/upgrade-world.ts';
import { createMetrics } from '../../runtime/index.ts';
import { type Intercept, simulatedScheduler } from '../../sim/index.ts';
import { COUNTERS, GAUGES, type GaugeName } from './catalogue.ts';
import { gaugeSeries, hasFailed, packedSeries, unpackedSeries, upgradeMetrics } from './scheduler-metrics.ts';

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

/** Names and labels that existing dashboards and alerts read. */
const EXISTING: Readonly<Record<string, readonly string[]>> = {
  aus_cluster_upgrade_policy_info: [
    ...['cluster_uuid', 'org_id', 'org_name', 'channel', 'current_version', 'cluster_name', 'schedule', 'sector'],
    ...['mutexes', 'soak_days', 'workloads', 'product', 'hypershift'],
  ],
  aus_cluster_info: [
    ...['cluster_id', 'cluster_name', 'org_id', 'version', 'channel', 'schedule', 'sector', 'mutexes', 'soak_days'],
    'workloads',
  ],
  aus_cluster_version_remaining_soak_days: ['cluster_uuid', 'soaking_version'],
  aus_organization_version_data: ['org_id', 'version', 'workload'],
  aus_organization_validation_errors: ['org_id'],
  aus_cluster_health_state: ['cluster_uuid', 'health_source'],
  aus_cluster_missing_version_gate_agreements: ['org_id', 'cluster_uuid', 'version_prefix'],
  aus_cluster_channel_switch: ['org_id', 'cluster_uuid', 'from_channel', 'to_channel'],
  aus_cluster_blocked_reason: ['cluster_uuid', 'version', 'gate'],
  aus_organization_reconciled_total: ['org_id'],
  aus_organization_reconcile_errors_total: ['org_id'],
  aus_ocm_environment_errors_total: [],
  aus_policy_create_failures_total: ['org_id', 'outcome'],
};

describe('the catalogue', () => {
  it('has the names and labels that dashboards read', () => {
    const all = [...Object.values(GAUGES), ...Object.values(COUNTERS)];
    const found = Object.fromEntries(all.map(({ name, labels }) => [name, [...labels].sort()]));
    const expected = Object.entries(EXISTING).map(([name, labels]) => [
      name,
      ['integration', 'ocm_env', ...labels].sort(),
    ]);
    expect(found).toEqual(Object.fromEntries(expected));
  });
});

async function series(minute = 0) {
  const aus = { 'sector-deps.s': '', 'blocked-versions': '^4\\.18\\.2$' };
  const hosted = { hosted: true, product: 'rosa', node_pools: [{ name: 'np', version: '4.18.0' }] };
  const clusters = [
    member('a', { mutexes: 'm,n', sector: 's', 'soak-days': 2, workloads: 'w1,w2' }),
    member('b', {}, { version: '4.18.3', health: 'unhealthy' }),
    member('c', { schedule: 'soon' }),
    member('h', { schedule: '0 3 * * *' }, hosted),
  ];
  const world = upgradeWorld([{ id: 'org-1', aus, clusters }]);
  const { organizations } = await simulatedScheduler([world]).pass(minutes(minute));
  const [report] = organizations;
  const found = report === undefined ? undefined : gaugeSeries(report, 'aus');
  if (found === undefined) throw new Error('it was skipped');
  const text = (name: GaugeName): string[] =>
    found[name].map(({ labels, value }) => {
      const { integration, ocm_env, ...own } = labels as Record<string, string>;
      expect([integration, ocm_env]).toEqual(['aus', 'test']);
      expect(Object.keys(labels).sort()).toEqual([...GAUGES[name].labels].sort());
      return `${Object.values(own).join(' ')} ${value}`;
    });
  return { found, text };
}

describe('series of an organization', () => {
  it('describe its policies, the lowest of control plane and node pools as the version', async () => {
    const { found } = await series();
    const labels = found.policyInfo.map(({ labels: each }) => each);
    expect(labels.map(({ cluster_name: name }) => name)).toEqual(['a', 'b', 'h']);
    expect(labels[0]).toEqual({
      ...{ integration: 'aus', ocm_env: 'test', cluster_uuid: 'a-uuid', org_id: 'org-1', org_name: 'org-1' },
      ...{ channel: 'stable-4.18', current_version: '4.18.1', cluster_name: 'a', schedule: '* * * * *', sector: 's' },
      ...{ mutexes: 'm,n', soak_days: '2', workloads: 'w1,w2', product: 'osd', hypershift: 'false' },
    });
    expect(labels[2]).toMatchObject({ current_version: '4.18.0', product: 'rosa', hypershift: 'true' });
    expect(found.clusterInfo[0]?.labels).toMatchObject({ cluster_id: 'a-id', version: '4.18.1' });
  });

  it('tell days left, blocks, soak, errors, health and why not', async () => {
    const { text } = await series();
    expect(text('remainingSoak')).toEqual(expect.arrayContaining(['a-uuid 4.18.2 -4', 'a-uuid 4.18.3 2']));
    expect(text('versionData')).toContain('org-1 4.18.1 w1 0');
    expect(text('validationErrors')).toEqual(['org-1 1']);
    expect(text('health')).toContain('b-uuid ocm 0');
    expect(text('blockedReason')).toEqual(expect.arrayContaining(['a-uuid 4.18.3 soak 1', 'a-uuid 4.18.2 blocked 1']));
  });

  it('of an organization that could not be looked at are none, and that counts as a failure', () => {
    const outcome = { environment: 'test', orgId: 'org-1' as never, name: 'x', skipped: [] };
    const fault = { code: 'X', message: 'x', hint: 'x' };
    const report = { outcome: { ...outcome, skipped: [fault] }, results: [], notices: [], faults: [] };
    expect([gaugeSeries(report, 'aus'), hasFailed(report)]).toEqual([undefined, true]);
  });

  it('what users configured wrong is no failure of the service', async () => {
    const world = upgradeWorld([{ id: 'org-1', aus: { 'blocked-versions': '(' }, clusters: [member('a')] }]);
    const { organizations } = await simulatedScheduler([world]).pass();
    expect(organizations.map(hasFailed)).toEqual([false]);
  });
});

const text = fc.constantFrom('', '1', 'a', 'b', '__proto__');
const unpacked = fc.uniqueArray(fc.constantFrom('org_id', 'cluster_uuid', 'version', 'gate')).chain((names) =>
  fc.array(
    fc.record({
      labels: fc
        .tuple(...names.map(() => text))
        .map((values) => Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))),
      value: fc.oneof(fc.integer(), fc.double({ noNaN: true })),
    }),
  ),
);

it('what is unpacked is what was packed, for any series', () => {
  holds(
    fc.property(unpacked, (given) => {
      expect([...unpackedSeries(packedSeries(given))]).toEqual(given);
    }),
  );
});

it('labels that all have in common are kept once', () => {
  const given = ['a', 'b'].map((uuid) => ({ labels: { ocm_env: 'e', cluster_uuid: uuid, gate: 'soak' }, value: 1 }));
  expect(packedSeries(given)).toEqual({
    common: { ocm_env: 'e', gate: 'soak' },
    names: ['cluster_uuid'],
    cells: ['a', 1, 'b', 1],
  });
});
