import { describe, expect, it } from 'vitest';
import { member, minutes, upgradeWorld } from '../../../test/support/upgrade-world.ts';
import { simulatedScheduler } from '../../sim/index.ts';
import { COUNTERS, GAUGES, type GaugeName } from './metric-catalogue.ts';
import { gaugeSeries, hasFailed } from './metric-series.ts';

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
