import { describe, expect, it } from 'vitest';
import { plannedOrganization } from '../../../test/support/odd-fleet.ts';
import { steppingForecast } from '../../../test/support/stepping-forecast.ts';
import { instantOf, MICROS } from '../../gates/index.ts';
import type { OrgId } from '../../instance/index.ts';
import type { OrgFacts, ServedCluster } from '../engine/facts.ts';
import { DEFAULT_RULES } from '../engine/rules.ts';
import { EMPTY_LEDGER } from '../engine/soak.ts';
import type { Version } from '../engine/versions.ts';
import { GATE_LABELS } from '../policies/fields.ts';
import type { ClusterId, ClusterUuid, UpgradePolicy } from '../policies/org-spec.ts';
import { forecast } from './forecast.ts';
import { forecastDocument } from './text.ts';

const FROM = instantOf(Date.parse('2026-03-02T09:57:30Z'));
const OPTIONS = { from: FROM, days: 2, every: 30 * MICROS.minute, rules: DEFAULT_RULES };
const POLICY: UpgradePolicy = { soakDays: 0, workloads: ['a'], schedule: '0 14 * * *' };
const BEHIND = [{ id: 'np0', version: '4.14.0' as Version }];

type Change = Partial<Omit<ServedCluster, 'policy'>> & { readonly policy?: Partial<UpgradePolicy> };

function cluster(name: string, { policy, ...change }: Change = {}): ServedCluster {
  return {
    ...{ id: name as ClusterId, uuid: name as ClusterUuid, name, version: '4.14.1' as Version, state: 'ready' },
    ...{ availableUpgrades: ['4.14.2', '4.14.3'], channel: 'stable-4.14', availableChannels: [] },
    ...{ hosted: true, sts: false, nodePools: BEHIND, ...change },
    policy: { ...POLICY, ...policy },
  };
}

function planned(clusters: readonly ServedCluster[], change: Partial<OrgFacts> = {}) {
  const facts: OrgFacts = {
    ...{ blockedVersions: [], freezes: [], sectors: [], held: [], problems: [], policies: [], inherited: [], clusters },
    gates: [{ id: 'g15', prefix: '4.15', label: GATE_LABELS.ocp }],
    agreements: new Map([['agreed' as ClusterId, new Set(['g15'])]]),
    ledger: EMPTY_LEDGER,
    ...change,
  };
  return [plannedOrganization('org-1' as OrgId, facts)];
}

/** Both are offered a minor that only a cluster with this name may take. */
const MINOR: Change = { nodePools: [], availableUpgrades: ['4.15.0'], channel: 'stable-4.15' };

describe('a cluster that differs from another one in a single thing is not decided on like that one', () => {
  it.each<{ readonly by: string; readonly one?: Change; readonly other: Change; readonly name?: string }>([
    {
      by: 'a block of the version that its node pool waits for',
      other: { policy: { blockedVersions: ['^4\\.14\\.1$'] } },
    },
    {
      by: 'a block of a version',
      one: { nodePools: [] },
      other: { nodePools: [], policy: { blockedVersions: ['3$'] } },
    },
    { by: 'no node pool that is behind', other: { nodePools: [] } },
    { by: 'another node pool that is behind', other: { nodePools: [{ id: 'np1', version: '4.14.0' as Version }] } },
    { by: 'its control plane', one: { nodePools: [] }, other: { nodePools: [], hosted: false } },
    { by: 'the version that its node pool is behind', other: { version: '4.14.2' as Version } },
    { by: 'what it is offered', one: { nodePools: [] }, other: { nodePools: [], availableUpgrades: ['4.14.2'] } },
    { by: 'its health', other: { healthFault: 'an operator is degraded' } },
    { by: 'its window', other: { policy: { schedule: '30 20 * * *' } } },
    { by: 'soak', one: { nodePools: [] }, other: { nodePools: [], policy: { soakDays: 1 } } },
    {
      ...{ by: 'a channel', one: { nodePools: [], availableUpgrades: [] } },
      other: { nodePools: [], availableUpgrades: [], availableChannels: ['stable-4.15'] },
    },
    { by: 'an agreement', one: MINOR, other: MINOR, name: 'agreed' },
  ])('$by', ({ one, other, name = 'other' }) => {
    const pair = [cluster('one', one), cluster(name, other)];
    for (const clusters of [pair, pair.toReversed()]) {
      const given = forecast(planned(clusters), OPTIONS);
      const [first, second] = given.clusters.map(({ upgrades, waiting }) => ({
        upgrades: upgrades.map(({ clusterId: _, ...upgrade }) => upgrade),
        waiting,
      }));
      expect(first).not.toEqual(second);
      const expected = steppingForecast(planned(clusters), OPTIONS);
      expect(forecastDocument({ forecast: given })).toEqual(forecastDocument({ forecast: expected }));
    }
  });
});

/** It waits for a version, whatever the time and its mutex. */
const BARRED: Change = { hosted: false, nodePools: [], policy: { blockedVersions: ['4'], schedule: '0 22 * * *' } };
const DURATIONS = { cluster: 15 * MICROS.hour, control_plane: 15 * MICROS.hour, node_pool: MICROS.hour, lingering: 0 };

describe('a cluster that waits for a version', () => {
  it.each<{ readonly when: string; readonly change?: Change; readonly limit?: string; readonly stops: boolean }>([
    { when: 'its window opens, and the limit of its mutex is not valid', limit: 'many', stops: true },
    { when: 'its window opens, and its mutex is held', limit: '1', stops: false },
    { when: 'it is unhealthy', limit: '1', change: { hosted: true, healthFault: 'it is degraded' }, stops: false },
    { when: 'its node pool is behind', limit: '1', change: { hosted: true, nodePools: BEHIND }, stops: false },
  ])('is decided on as pass by pass when $when', ({ change = {}, limit = '', stops }) => {
    const shared = { sector: 'prod', mutexes: ['m'] };
    const taker = cluster('taker', { hosted: false, nodePools: [], policy: { ...shared, schedule: '0 16 * * *' } });
    const waiter = cluster('waiter', { ...BARRED, ...change, policy: { ...BARRED.policy, ...shared } });
    const sectors = [{ name: 'prod', dependencies: [], maxParallelUpgrades: limit }];
    const options = { ...OPTIONS, durations: DURATIONS };
    const given = forecast(planned([taker, waiter], { sectors }), options);
    const expected = steppingForecast(planned([taker, waiter], { sectors }), options);
    expect(forecastDocument({ forecast: given })).toEqual(forecastDocument({ forecast: expected }));
    expect(given.clusters[1]?.waiting.some(({ reason }) => reason.includes('not a valid limit'))).toBe(stops);
  });
});
