import { createWorld, parseFleet, type World } from '../../src/sim/index.ts';

type Part = Readonly<Record<string, unknown>>;

/** A Monday at ten; windows are as easy to read as times. */
export const START = '2026-03-02T10:00:00Z';

export interface GivenCluster {
  readonly name: string;
  readonly aus?: Readonly<Record<string, string | number>>;
  readonly [field: string]: unknown;
}

export interface GivenOrganization {
  readonly id: string;
  readonly aus?: Readonly<Record<string, string | number>>;
  readonly clusters: readonly GivenCluster[];
}

/** Labels of a cluster that takes everything at any time. */
export const ANY_TIME = { workloads: 'wl', 'soak-days': 0, schedule: '* * * * *' } as const;

/** A cluster on 4.18.1 that takes everything at any time; ids are the name with `-id` and `-uuid`. */
export function member(
  name: string,
  aus: Readonly<Record<string, string | number>> = {},
  more: Part = {},
): GivenCluster {
  const ids = { id: `${name}-id`, uuid: `${name}-uuid`, subscription: `${name}-sub` };
  return { name, ...ids, version: '4.18.1', product: 'osd', ...more, aus: { ...ANY_TIME, ...aus } };
}

/** Durations without variation, so that a test can name the minute. */
const TIMING = {
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

/** A fleet in the shape of a fleet file. 4.18.1 to 4.18.3 are out; 4.18.4 comes on day 2, 4.19.1 on day 10. */
export function upgradeFleet(organizations: readonly GivenOrganization[], parts: Part = {}): Part {
  return {
    start: START,
    timing: TIMING,
    versions: {
      groups: { stable: '0d', candidate: '-2d' },
      releases: [
        { version: '4.18.{n}', from: 1, count: 3, at: 'day -40', every: '1d' },
        { version: '4.18.4', at: 'day 2' },
        { version: '4.19.1', at: 'day 10' },
      ],
    },
    gates: [{ id: 'gate-ocp', version: '4.19', label: 'api.openshift.com/gate-ocp' }],
    environments: [{ name: 'test', organizations: organizations.map(inOrder) }],
    ...parts,
  };
}

/** Clusters are found in the order of their age. */
function inOrder({ clusters, ...organization }: GivenOrganization): Part {
  const aged = clusters.map((cluster, index) => ({ created: `day ${index - 400}`, ...cluster }));
  return { name: organization.id, ...organization, clusters: aged };
}

export function upgradeWorld(organizations: readonly GivenOrganization[], parts: Part = {}): World {
  return createWorld(parseFleet(upgradeFleet(organizations, parts)));
}

/** A moment so many minutes after the start. */
export function minutes(after: number): Date {
  return new Date(Date.parse(START) + after * 60_000);
}
