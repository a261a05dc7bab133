import type { Dice } from './upgrade-simulation-dice.ts';
import {
  BAD_CLUSTER_LABELS,
  BAD_ORGANIZATION_LABELS,
  BLOCKS,
  LIMITS,
  MUTEXES,
  SECTORS,
  WORKLOADS,
} from './upgrade-simulation-fleet.ts';
import {
  type AusLabels,
  DAY,
  type GivenEvent,
  type GivenOrganization,
  type Minute,
  type Scenario,
  type UserAction,
} from './upgrade-simulation-scenario.ts';

interface Subject {
  readonly cluster: GivenOrganization['clusters'][number];
  readonly schedules: readonly string[];
  readonly at: Minute;
}

type Change = (draw: Dice, subject: Subject) => GivenEvent[];

const falls: Change = (draw, { at, cluster: { name } }) => [
  { at, cluster: name, health: 'unhealthy' },
  { at: at + draw.int(30, 8 * DAY), cluster: name, health: 'healthy' },
];

/** Each gives what happens, and what undoes it later. */
const CLUSTER_CHANGES: readonly Change[] = [
  ...[falls, falls, falls],
  (draw, { at, cluster: { name } }) => [
    { at, cluster: name, state: 'hibernating' },
    { at: at + draw.int(60, 4 * DAY), cluster: name, state: 'ready' },
  ],
  (draw, { at, cluster: { name } }) => [
    { at, cluster: name, status: 'Disconnected' },
    { at: at + draw.int(60, 2 * DAY), cluster: name, status: 'Active' },
  ],
  (draw, { at, cluster: { name } }) => [{ at, cluster: name, aus: { 'soak-days': String(draw.int(0, 5)) } }],
  (draw, { at, cluster: { name }, schedules }) => [{ at, cluster: name, aus: { schedule: draw.pick(schedules) } }],
  (draw, { at, cluster: { name } }) => [{ at, cluster: name, aus: { mutexes: draw.pick([...MUTEXES, null]) } }],
  (draw, { at, cluster: { name } }) => [{ at, cluster: name, aus: { sector: draw.pick([...SECTORS, null]) } }],
  (draw, { at, cluster: { name } }) => [
    { at, cluster: name, aus: { workloads: draw.some(WORKLOADS, draw.int(1, 2)).join() } },
  ],
  (draw, { at, cluster: { name } }) => [
    { at, cluster: name, aus: { 'blocked-versions': draw.pick(BLOCKS) } },
    { at: at + draw.int(DAY, 20 * DAY), cluster: name, aus: { 'blocked-versions': null } },
  ],
  (draw, { at, cluster: { name, aus } }) => {
    const bad = draw.pick(BAD_CLUSTER_LABELS);
    return [
      { at, cluster: name, aus: bad },
      { at: at + draw.int(DAY, 20 * DAY), cluster: name, aus: undoing(bad, aus) },
    ];
  },
  (draw, { at, cluster: { name } }) => (draw.chance(0.3) ? [{ at, cluster: name, remove: true }] : []),
];

/** Labels as they were before. */
function undoing(change: AusLabels, before: AusLabels): Record<string, string | null> {
  return Object.fromEntries(Object.keys(change).map((key) => [key, before[key] ?? null]));
}

export function drawEvents(
  draw: Dice,
  organizations: readonly GivenOrganization[],
  schedules: readonly string[],
  until: Minute,
): GivenEvent[] {
  const clusters = organizations.flatMap((organization) => organization.clusters);
  const ofClusters = Array.from({ length: draw.int(0, 2 * clusters.length) }, () =>
    draw.pick(CLUSTER_CHANGES)(draw, { cluster: draw.pick(clusters), schedules, at: draw.int(0, until) }),
  );
  const ofOrganizations = Array.from({ length: draw.int(0, 6) }, () =>
    drawOrganizationChange(draw, draw.pick(organizations), draw.int(0, until)),
  );
  return [...ofClusters, ...ofOrganizations]
    .flat()
    .map((event) => ({ ...event, at: Math.min(event.at, until) }))
    .sort((a, b) => a.at - b.at);
}

function drawOrganizationChange(draw: Dice, { id, aus }: GivenOrganization, at: Minute): GivenEvent[] {
  const sector = draw.pick(SECTORS);
  const change = draw.pick<AusLabels>([
    { 'blocked-versions': draw.some(BLOCKS, draw.int(1, 2)).join() },
    { 'blocked-versions': draw.pick(BLOCKS) },
    { [`sector-max-parallel-upgrades.${sector}`]: draw.pick(LIMITS) },
    { 'sector-deps.prod': draw.pick(['', 'dev', 'stage', 'dev,stage']) },
    { 'version-data.publish': 'org-9' },
    draw.pick(BAD_ORGANIZATION_LABELS),
  ]);
  return [
    { at, organization: id, aus: change },
    { at: at + draw.int(DAY / 2, 12 * DAY), organization: id, aus: undoing(change, aus) },
  ];
}

/** Most users agree to gates some day; some upgrade a cluster by hand. */
export function drawActions(
  draw: Dice,
  { organizations, gates }: Pick<Scenario, 'organizations' | 'gates'>,
  until: Minute,
): UserAction[] {
  const names = organizations.flatMap(({ clusters }) => clusters.map(({ name }) => name));
  const agreements = names.flatMap((cluster) =>
    gates
      .filter(() => draw.chance(0.85))
      .map(({ id: gate }) => ({ at: draw.int(0, until), kind: 'agree' as const, cluster, gate })),
  );
  const upgrades = Array.from({ length: draw.int(0, 4) }, () => ({
    at: draw.int(0, until),
    kind: 'upgrade' as const,
    cluster: draw.pick(names),
  }));
  return [...agreements, ...upgrades].sort((a, b) => a.at - b.at);
}
