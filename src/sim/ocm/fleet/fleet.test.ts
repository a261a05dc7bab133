import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { REPO } from '../../../../test/support/shared.ts';
import { START, smallFleet } from '../../../../test/support/sim-ocm-small-fleet.ts';
import { EchelonError } from '../../../base/index.ts';
import { DAY, MINUTE } from '../instants.ts';
import type { FleetCluster, FleetFile } from './fleet.ts';
import { loadFleet, parseFleet } from './read-fleet.ts';

type Part = Readonly<Record<string, unknown>>;

const folder = mkdtempSync(join(tmpdir(), 'fleet-'));
afterAll(() => rmSync(folder, { recursive: true }));

function withClusters(...clusters: readonly Part[]): Part {
  return smallFleet({ environments: [{ name: 'test', organizations: [{ id: 'o', name: 'O', clusters }] }] });
}

function clustersOf(fleet: FleetFile): readonly FleetCluster[] {
  return fleet.environments.flatMap(({ organizations }) => organizations.flatMap(({ clusters }) => clusters));
}

function faults(value: unknown): string {
  try {
    parseFleet(value, { file: 'f.yml' });
    return '';
  } catch (thrown) {
    if (thrown instanceof EchelonError) return `${thrown.code} ${thrown.message}`;
    throw thrown;
  }
}

describe('a short form', () => {
  const [a, b, c] = clustersOf(
    parseFleet(
      withClusters({
        name: 'pay-{nn}',
        count: 3,
        from: 9,
        version: ['4.18.1', '4.18.2'],
        region: ['r1', 'r2', 'r3'],
        aus: { workloads: 'w{n}', 'soak-days': 3, sector: 'main' },
        labels: { other: true },
        but: { 10: { aus: { sector: null, 'soak-days': 'soon' }, sts: false, health: 'unhealthy' } },
      }),
    ),
  );

  it('stands for many clusters, with numbers in names and labels', () => {
    expect([a, b, c].map((each) => each?.name)).toEqual(['pay-09', 'pay-10', 'pay-11']);
    expect(a?.labels).toEqual({
      other: 'true',
      'sre-capabilities.aus.workloads': 'w9',
      'sre-capabilities.aus.soak-days': '3',
      'sre-capabilities.aus.sector': 'main',
    });
  });

  it('deals out versions and regions in turn', () => {
    expect([a, b, c].map((each) => [each?.version, each?.region])).toEqual([
      ['4.18.1', 'r1'],
      ['4.18.2', 'r2'],
      ['4.18.1', 'r3'],
    ]);
  });

  it('says what is different about one of them', () => {
    expect(b).toMatchObject({ sts: false, health: 'unhealthy' });
    expect(b?.labels).not.toHaveProperty(['sre-capabilities.aus.sector']);
    expect(b?.labels).toHaveProperty(['sre-capabilities.aus.soak-days'], 'soon');
    expect(c).toMatchObject({ sts: true, health: 'healthy' });
  });

  it('gives each an id of its own, the same every time', () => {
    const again = clustersOf(parseFleet(withClusters({ name: 'pay-{nn}', count: 3, from: 9, version: '4.18.5' })));
    expect(again.map(({ id, uuid, subscriptionId }) => [id, uuid, subscriptionId])).toEqual(
      [a, b, c].map((each) => [each?.id, each?.uuid, each?.subscriptionId]),
    );
    expect(a?.id).toMatch(/^[0-9a-z]{32}$/);
    expect(a?.uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(a?.subscriptionId).toMatch(/^[0-9A-Za-z]{27}$/);
  });

  it('of releases stands for a series, earlier in some groups', () => {
    const releases = [{ version: '4.18.{n}', from: 7, count: 2, at: 'day 1', every: '7d', groups: ['stable', 'fast'] }];
    const groups = { stable: '0d', fast: '-12h', candidate: '-2d' };
    const start = Date.parse(START);
    expect(parseFleet(smallFleet({ versions: { groups, releases } })).releases).toMatchObject([
      { version: '4.18.7', groups: { stable: start + DAY, fast: start + DAY / 2 } },
      { version: '4.18.8', groups: { stable: start + 8 * DAY, fast: start + 7.5 * DAY } },
    ]);
  });

  it.each([
    ['day 2', 2 * DAY],
    ['day 2 06:30', 2 * DAY + 390 * MINUTE],
    ['day -1', -DAY],
    ['2026-03-02T00:05:00Z', 5 * MINUTE],
  ])('%s is %d ms after the start', (created, after) => {
    const [cluster] = clustersOf(parseFleet(withClusters({ name: 'c', version: '4.18.1', created })));
    expect(cluster?.createdAt).toBe(Date.parse(START) + after);
  });
});

it('day 0 can be another day', () => {
  const fleet = parseFleet(smallFleet(), { start: new Date('2030-01-01T00:00:00Z') });
  expect(fleet.start).toBe(Date.parse('2030-01-01T00:00:00Z'));
  expect(fleet.releases.at(-1)?.groups['stable']).toBe(Date.parse('2030-01-11T00:00:00Z'));
});

it('without accounts there is one service', () => {
  const [environment] = parseFleet(smallFleet()).environments;
  expect(environment?.accounts).toMatchObject([{ role: 'service', clientId: 'echelon', clientSecret: 'simulated' }]);
});

describe('a fleet that is wrong', () => {
  const cluster = { name: 'c', version: '4.18.1' };
  const event = { at: 'day 1', cluster: 'classic', health: 'unhealthy' };
  it.each([
    [withClusters({ ...cluster, version: '4.18' }), 'clusters[0].version: '],
    [withClusters({ ...cluster, versoin: '4.18.1' }), 'Unrecognized key: "versoin"'],
    [withClusters({ name: 'c' }), 'clusters[0].version: every cluster needs a version'],
    [withClusters({ ...cluster, count: 2 }), 'clusters[0].name: the name needs {n} when count is above 1'],
    [withClusters({ ...cluster, but: { 7: {} } }), 'clusters[0].but.7: no cluster with this number'],
    [withClusters({ ...cluster, product: 'osd', hosted: true }), 'only rosa has hosted control planes'],
    [withClusters({ ...cluster, node_pools: [] }), 'only hosted clusters have node pools'],
    [withClusters({ ...cluster, channel: 'stable' }), 'use a channel such as stable-4.18'],
    [withClusters({ ...cluster, channel: 'fast-4.18', group: 'fast' }), 'the channel already includes the group'],
    [withClusters({ ...cluster, state: 'asleep' }), 'clusters[0].state: '],
    [
      withClusters({ ...cluster, policy: { version: '4.18.2' } }),
      'a policy needs a version and a next_run, or only a schedule',
    ],
    [withClusters({ ...cluster, policy: { schedule: '0 0 30 2 *' } }), 'use a cron expression with five fields'],
    [withClusters({ ...cluster, created: 'once' }), 'use a time such as 2026-03-02T06:00:00Z, day 12'],
    [withClusters(cluster, cluster), 'is not unique'],
    [
      smallFleet({ timing: { classic: '2h..1h' } }),
      'timing.classic: use a duration such as 90m, or a range such as 60m..2h',
    ],
    [
      smallFleet({ outcomes: { failed: '200%' } }),
      'outcomes.failed: use a percentage such as 5%, or a number from 0 to 1',
    ],
    [smallFleet({ start: 'day 3' }), 'start: use a date'],
    [smallFleet({ gates: [{ version: '4.19.1', label: 'x' }] }), 'gates[0].version: use a minor version such as 4.18'],
    [smallFleet({ versions: { releases: [{ version: '4.{n}' }] } }), '4.0 is not a valid version such as 4.18.9'],
    [smallFleet({ versions: { releases: [{ version: '4.18.1', groups: ['odd'] }] } }), 'unknown channel group odd'],
    [smallFleet({ events: [{ ...event, cluster: 'none' }] }), 'events[0]: unknown cluster none'],
    [smallFleet({ events: [{ ...event, organization: 'First' }] }), 'either a cluster or an organization'],
    [
      smallFleet({ events: [{ at: 'day 1', organization: 'First', state: 'error' }] }),
      'only labels of an organization can change',
    ],
    [smallFleet({ environments: [] }), 'environments: '],
    ['text', 'FLEET_INVALID f.yml: '],
  ])('%# says where and why: %s', (value, says) => {
    expect(faults(value)).toContain(says);
  });

  it('tells of accounts that cannot be', () => {
    const organizations = [{ id: 'o', name: 'O' }];
    const accounts = [
      { username: 'a', role: 'admin' },
      { username: 'b', organization: 'none' },
    ];
    const text = faults(smallFleet({ environments: [{ name: 'e', accounts, organizations }] }));
    expect(text).toContain('accounts[0]: an account with role admin needs an organization');
    expect(text).toContain('accounts[1].organization: unknown organization');
  });

  it('tells ten problems, and how many more there are', () => {
    const clusters = Array.from({ length: 13 }, (_, index) => ({ name: `c${index}` }));
    expect(faults(withClusters(...clusters))).toContain('and 3 more problems');
  });

  it.each([
    { file: 'none.yml', text: undefined, code: 'FLEET_UNREADABLE' },
    { file: 'bad.yml', text: 'a: [', code: 'FLEET_INVALID' },
  ])('in a file is told as $code with its name', async ({ file, text, code }) => {
    const path = join(folder, file);
    if (text !== undefined) writeFileSync(path, text);
    await expect(loadFleet(path)).rejects.toMatchObject({ code, message: expect.stringContaining(path) });
  });
});

it('the example has two environments, five organizations, and 120 clusters of both kinds', async () => {
  const fleet = await loadFleet(join(REPO, 'examples/fleet/fleet.yml'));
  const clusters = clustersOf(fleet);
  expect(fleet.environments.map(({ name }) => name)).toEqual(['ocm-production', 'ocm-stage']);
  expect(fleet.environments.flatMap(({ organizations }) => organizations)).toHaveLength(5);
  expect(clusters).toHaveLength(120);
  expect(clusters.filter(({ hosted }) => hosted).length).toBeGreaterThan(30);
  const within60Days = fleet.releases.filter(({ groups }) => {
    const at = groups['stable'] ?? 0;
    return at > fleet.start && at <= fleet.start + 60 * DAY;
  });
  expect(within60Days.length).toBeGreaterThan(15);
});
