import { parseFleet } from '../../src/sim/ocm/fleet/read-fleet.ts';
import { createWorld, type World } from '../../src/sim/ocm/world/world.ts';

type Part = Readonly<Record<string, unknown>>;

export const START = '2026-03-02T00:00:00Z';

/** Fixed durations, so that a test can expect the exact minute. */
const EXACT_TIMING = {
  schedule: '1m',
  start: '0s',
  classic: '90m',
  control_plane: '30m',
  node_pool: '20m',
  completed_visible: '5m',
  failed_visible: '1h',
  settle: '2m',
  agreement: '1m',
};

const RELEASES = [
  { version: '4.17.{n}', from: 1, count: 5, at: 'day -50', every: '1d' },
  { version: '4.18.{n}', from: 1, count: 5, at: 'day -40', every: '1d' },
  { version: '4.18.6', at: 'day 5' },
  { version: '4.19.1', at: 'day 10' },
];

/** One organization with a classic and a hosted cluster; `parts` override it. */
export function smallFleet(parts: Part = {}) {
  return {
    start: START,
    timing: EXACT_TIMING,
    versions: { groups: { stable: '0d', candidate: '-2d' }, releases: RELEASES },
    gates: [
      { id: 'gate-ocp', version: '4.19', label: 'api.openshift.com/gate-ocp' },
      { id: 'gate-sts', version: '4.19', label: 'api.openshift.com/gate-sts', sts_only: true },
    ],
    environments: [
      {
        name: 'test',
        organizations: [
          {
            id: 'org-1',
            name: 'First',
            aus: { 'sector-deps.main': 'early' },
            clusters: [
              { name: 'classic', id: 'c1', version: '4.18.3', product: 'osd', aus: { workloads: 'w', 'soak-days': 1 } },
              {
                name: 'hosted',
                id: 'h1',
                version: '4.18.3',
                hosted: true,
                node_pools: [{ name: 'np1' }, { name: 'np2', version: '4.18.1' }],
              },
            ],
          },
        ],
      },
    ],
    ...parts,
  };
}

export function smallWorld(parts: Part = {}, seed = 1): World {
  return createWorld(parseFleet(smallFleet(parts)), seed);
}

/** A fleet of many similar clusters. */
export function manyClusters(count: number) {
  const clusters = [{ name: 'c-{nnn}', count, version: '4.18.1', aus: { workloads: 'w', sector: 's', mutexes: 'm' } }];
  return smallFleet({ environments: [{ name: 'test', organizations: [{ id: 'org-1', name: 'First', clusters }] }] });
}

/** A moment this many minutes after the start, in the format of requests. */
export function minute(after: number): string {
  return new Date(Date.parse(START) + after * 60_000).toISOString().replace('.000Z', 'Z');
}
