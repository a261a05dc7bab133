import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { alerts, alertTests, RUNBOOK, rules } from './deployed.ts';
import { type Exported, exportedMetrics } from './exported-metrics.ts';
import { namedIn } from './promql.ts';
import { unknownIn } from './unknown-names.ts';

/** What users and other teams decide: labels, gates, the health of clusters, what an instance declares. */
const OF_USERS = new Set([
  'aus_organization_validation_errors',
  'aus_cluster_missing_version_gate_agreements',
  'echelon_version_gate_refusals_total',
  'aus_cluster_blocked_reason',
  'aus_cluster_version_remaining_soak_days',
  'aus_cluster_health_state',
  'aus_cluster_upgrade_policy_info',
  'aus_cluster_info',
  'echelon_workloads',
  'echelon_plan_actions',
  'echelon_shard_image_info',
  'echelon_rollout_state',
  'echelon_rollout_shards',
  'echelon_rollout_last_progress_timestamp_seconds',
  'echelon_rollout_due_timestamp_seconds',
  'qontract_reconcile_openshift_resource_inventory',
]);

let exported: Map<string, Pick<Exported, 'labels' | 'kind'>>;
beforeAll(async () => {
  exported = new Map(await exportedMetrics());
  for (const { record, expr } of rules()) {
    if (record !== undefined) exported.set(record, { kind: 'gauge', labels: namedIn(expr).labels });
  }
});

/** Their passes fail only for faults of the service. */
const UPGRADES = new Set(['advanced-upgrade-scheduler', 'ocm-upgrade-scheduler-org', 'version-gate-approver']);

/** A pass of the manager, and a policy that OCM refuses, also fail for what somebody configured. */
function isOfUsers(expression: string): boolean {
  return namedIn(expression).selectors.some(({ metric, matchers }) => {
    const value = (label: string): string => matchers.find((one) => one.label === label)?.value ?? '';
    if (metric === 'qontract_reconcile_last_run_status') return !isOfUpgrades(value('integration'));
    if (metric === 'aus_policy_create_failures_total') return !/^(failed|unconfirmed|\|)+$/.test(value('outcome'));
    return OF_USERS.has(metric);
  });
}

function isOfUpgrades(integrations: string): boolean {
  return integrations.split('|').every((one) => UPGRADES.has(one));
}

describe('rules', () => {
  it('name only metrics and labels that are exported', () => {
    expect(rules().length).toBeGreaterThan(20);
    const unknown = rules().flatMap(({ alert, record, expr }) =>
      unknownIn(expr, exported).map((what) => `${alert ?? record}: ${what}`),
    );
    expect(unknown).toEqual([]);
  });

  it('say only what their labels tell', () => {
    const unknown = alerts().flatMap(({ alert, expr, annotations = {} }) => {
      const named = new Set(namedIn(expr).labels);
      const said = Object.values(annotations).flatMap((text) => [...text.matchAll(/\$labels\.([a-z_]+)/g)]);
      return said.filter(([, label = '']) => !named.has(label)).map(([text]) => `${alert}: ${text}`);
    });
    expect(unknown).toEqual([]);
  });

  it.each(['EchelonNoRun', 'EchelonGone', 'EchelonShardGone', 'EchelonRunsSlow', 'EchelonUpgradesFailing'])(
    'see every integration of upgrades: %s',
    (name) => {
      const { selectors } = namedIn(alerts().find(({ alert }) => alert === name)?.expr ?? '');
      const seen = selectors.flatMap(({ matchers }) =>
        matchers.flatMap(({ label, value }) => (label === 'integration' ? value.split('|') : [])),
      );
      expect(seen).toEqual(expect.arrayContaining([...UPGRADES]));
    },
  );

  it('have names of their own', () => {
    const names = alerts().map(({ alert }) => alert);
    expect(names).toEqual([...new Set(names)]);
  });

  it('wait, and have a severity, a summary and a runbook that exists', () => {
    const headings = [...readFileSync(RUNBOOK, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title);
    for (const { alert, for: wait, labels, annotations } of alerts()) {
      expect({ alert, wait, severity: labels?.['severity'], summary: annotations?.['summary'] }).toEqual({
        alert,
        wait: expect.stringMatching(/^\d+[mhd]$/),
        severity: expect.stringMatching(/^(page|ticket|info)$/),
        summary: expect.stringMatching(/\S/),
      });
      expect(annotations?.['runbook']).toBe(`deploy/alerts/README.md#${alert.toLowerCase()}`);
      expect(headings).toContain(alert);
    }
  });

  it('never page for what users configured', () => {
    const pages = alerts().filter(({ labels }) => labels?.['severity'] === 'page');
    expect(pages.length).toBeGreaterThan(4);
    expect(pages.filter(({ expr }) => isOfUsers(expr)).map(({ alert }) => alert)).toEqual([]);
  });

  it.each([
    { expr: 'aus_organization_validation_errors > 0', users: true },
    { expr: 'qontract_reconcile_last_run_status != 0', users: true },
    {
      expr: 'qontract_reconcile_last_run_status{integration=~"integrations-manager|advanced-upgrade-scheduler"}',
      users: true,
    },
    { expr: 'qontract_reconcile_last_run_status{integration="advanced-upgrade-scheduler"} != 0', users: false },
    { expr: 'qontract_reconcile_last_run_status{integration="version-gate-approver"} != 0', users: false },
    {
      expr: 'qontract_reconcile_last_run_status{integration=~"ocm-upgrade-scheduler-org|version-gate-approver"} != 0',
      users: false,
    },
    { expr: 'qontract_reconcile_last_run_status{integration=~"ocm-.*"} != 0', users: true },
    { expr: 'increase(aus_policy_create_failures_total[1h]) > 0', users: true },
    { expr: 'increase(aus_policy_create_failures_total{outcome=~"failed|refused"}[1h]) > 0', users: true },
    { expr: 'increase(aus_policy_create_failures_total{outcome=~"failed|unconfirmed"}[1h]) > 0', users: false },
  ])('know whether it is of users: $expr', ({ expr, users }) => {
    expect(isOfUsers(expr)).toBe(users);
  });

  it('are each tested to fire and not to fire', () => {
    const tests = alertTests();
    const tested = (fires: boolean): string[] => [
      ...new Set(
        tests
          .filter(({ exp_alerts: expected = [] }) => expected.length > 0 === fires)
          .map(({ alertname }) => alertname),
      ),
    ];
    const names = alerts().map(({ alert }) => alert);
    expect(tested(true).toSorted()).toEqual(names.toSorted());
    expect(tested(false).toSorted()).toEqual(names.toSorted());
  });
});

describe('names that nothing exports', () => {
  it.each([
    { given: 'a metric', expr: 'aus_cluster_infos', unknown: ['metric aus_cluster_infos'] },
    { given: 'a matcher', expr: 'aus_cluster_info{cluster="x"}', unknown: ['label cluster of aus_cluster_info'] },
    { given: 'a grouping', expr: 'sum by (job, uuid) (aus_cluster_info)', unknown: ['label uuid'] },
    { given: 'a gauge as a counter', expr: 'rate(aus_cluster_info[5m])', unknown: ['aus_cluster_info is no counter'] },
  ])('are found in $given', ({ expr, unknown }) => {
    expect(unknownIn(expr, exported)).toEqual(unknown);
  });
});
