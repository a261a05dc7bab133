import { GATE_LABELS } from '../../src/upgrades/policies/fields.ts';
import type { Dice } from './upgrade-simulation-dice.ts';
import {
  type AusLabels,
  DAY,
  type GivenCluster,
  type GivenOrganization,
  momentOf,
  type Scenario,
} from './upgrade-simulation-scenario.ts';

export const SECTORS = ['dev', 'stage', 'prod'] as const;
export const MUTEXES = ['m1', 'm2'] as const;
export const WORKLOADS = ['wl-a', 'wl-b', 'wl-c'] as const;
export const BLOCKS = ['rc', '^4\\.15\\.[01]$', '3$', '^4\\.14\\.4$', '4.16'] as const;
export const LIMITS = ['1', '2', '3', '50%', '34%'] as const;
export const SCHEDULES = [
  '* * * * *',
  '*/30 * * * *',
  '0 12 * * *',
  '15 3 * * 1-5',
  '0 22 * * 2,4',
  '30 6 * * 0,6',
  '0 8 * * 3',
  '45 17 1-21 * 1-5',
] as const;

/** What makes a policy unreadable. */
export const BAD_CLUSTER_LABELS: readonly AusLabels[] = [
  { 'soak-days': 'three' },
  { 'soak-days': '-1' },
  { schedule: 'soon' },
  { schedule: '0 0 30 2 *' },
  { workloads: '' },
  { workloads: 'wl-a,,wl-b' },
  { mutexes: 'm1,' },
  { 'blocked-versions': '[' },
  { sector: 'nowhere' },
];

/** What makes an organization unreadable. */
export const BAD_ORGANIZATION_LABELS: readonly AusLabels[] = [
  { 'blocked-versions': '[' },
  { 'sector-deps.dev': 'dev' },
  { 'sector-deps.dev': 'prod', 'sector-deps.prod': 'dev' },
  { 'sector-max-parallel-upgrades.stage': 'many' },
  { 'version-data.inherit': 'org-9' },
  { 'version-data.inherit': 'org-1' },
];

const MOST_CLUSTERS = 20;
const FEWEST_CLUSTERS = 5;
const USUAL_MOST = 11;

/** Schedules that the clusters of one fleet use. */
export function drawSchedules(draw: Dice): string[] {
  return ['* * * * *', ...draw.some(SCHEDULES.slice(1), draw.int(1, 3))];
}

export function drawOrganizations(draw: Dice, schedules: readonly string[]): GivenOrganization[] {
  const total = draw.int(FEWEST_CLUSTERS, draw.chance(0.12) ? MOST_CLUSTERS : USUAL_MOST);
  const first = draw.int(2, total - 2);
  const sharing = drawSharing(draw);
  const crowding = draw.chance(0.3) ? { mutexes: MUTEXES[0] } : {};
  return [first, total - first].map((count, index) => ({
    id: `org-${index + 1}`,
    aus: { ...drawSectors(draw), ...drawBlocks(draw, 0.2), ...sharing[index] },
    clusters: Array.from({ length: count }, (_, nth) =>
      withLabels(drawCluster(draw, `o${index + 1}c${nth + 1}`, schedules, nth), crowding),
    ),
  }));
}

export function withLabels(cluster: GivenCluster, labels: AusLabels): GivenCluster {
  return { ...cluster, aus: { ...cluster.aus, ...labels } };
}

/** Who uses whose history. */
function drawSharing(draw: Dice): readonly [AusLabels, AusLabels] {
  const inherit = 'version-data.inherit';
  const publish = 'version-data.publish';
  if (draw.chance(0.6)) return [{}, {}];
  if (draw.chance(0.7)) return [{ [publish]: 'org-2' }, { [inherit]: 'org-1' }];
  return [
    { [publish]: 'org-2', [inherit]: 'org-2' },
    { [publish]: 'org-1', [inherit]: 'org-1' },
  ];
}

function drawSectors(draw: Dice): AusLabels {
  const entries = SECTORS.flatMap((sector, index): [string, string][] => {
    const before = SECTORS.slice(0, index);
    const needs = draw.chance(0.75) ? before.slice(-1) : draw.some(before, draw.int(0, before.length));
    const limit = draw.chance(0.5)
      ? [[`sector-max-parallel-upgrades.${sector}`, draw.pick(LIMITS)] as [string, string]]
      : [];
    return [[`sector-deps.${sector}`, needs.join()], ...limit];
  });
  return Object.fromEntries(entries);
}

function drawBlocks(draw: Dice, probability: number): AusLabels {
  return draw.chance(probability) ? { 'blocked-versions': draw.some(BLOCKS, draw.int(1, 2)).join() } : {};
}

/** Somebody has to be the first. */
const CANARY: AusLabels = { 'soak-days': '0', workloads: WORKLOADS.join(), schedule: '* * * * *', sector: 'dev' };

export function drawCluster(draw: Dice, name: string, schedules: readonly string[], nth: number): GivenCluster {
  const version = `4.14.${draw.int(0, 2)}`;
  const hosted = draw.chance(0.35);
  return {
    name,
    version,
    hosted,
    group: draw.chance(0.85) ? 'stable' : 'candidate',
    aus: {
      ...drawPolicy(draw, schedules),
      ...(nth === 0 && draw.chance(0.85) ? CANARY : {}),
      ...(draw.chance(0.02) ? draw.pick(BAD_CLUSTER_LABELS) : {}),
    },
    pools: hosted ? Array.from({ length: draw.int(1, 2) }, () => (draw.chance(0.3) ? '4.14.0' : version)) : [],
    ...(draw.chance(0.03) ? { automatic: '0 6 * * 3' } : {}),
  };
}

function drawPolicy(draw: Dice, schedules: readonly string[]): AusLabels {
  return {
    'soak-days': String(draw.chance(0.4) ? 0 : draw.int(1, 5)),
    workloads: draw.some(WORKLOADS, draw.chance(0.7) ? 1 : 2).join(),
    schedule: draw.pick(schedules),
    ...(draw.chance(0.6) ? { mutexes: draw.some(MUTEXES, draw.chance(0.8) ? 1 : 2).join() } : {}),
    ...(draw.chance(0.75) ? { sector: draw.pick(SECTORS) } : {}),
    ...drawBlocks(draw, 0.08),
  };
}

/** Three minors, each with a few patches until the last day; some are withdrawn, or not available to all. */
export function drawReleases(draw: Dice, lastDay: number): Scenario['releases'] {
  const firsts = [-60, draw.int(15, 40), draw.int(65, 95)];
  return firsts.flatMap((first, index) => {
    const days = index === 0 ? [first, first + 1, first + 2, draw.int(1, 5)] : [first];
    const end = index === firsts.length - 1 ? lastDay : Math.min(first + 100, lastDay);
    for (let day = days.at(-1)! + draw.int(5, 12); day <= end; day += draw.int(6, 16)) days.push(day);
    return days.map((day, patch) => drawRelease(draw, `4.${14 + index}.${patch}`, day));
  });
}

function drawRelease(draw: Dice, version: string, day: number): Readonly<Record<string, unknown>> {
  return {
    version,
    at: momentOf(day * DAY + draw.int(0, DAY - 1)).toISOString(),
    ...(day > 2 && draw.chance(0.06) ? { withdrawn: momentOf((day + draw.int(3, 20)) * DAY).toISOString() } : {}),
    ...(day > 2 && draw.chance(0.08) ? { hosted: false } : {}),
  };
}

export function drawGates(draw: Dice): Scenario['gates'] {
  const all = [
    { id: 'gate-15', version: '4.15', label: GATE_LABELS.ocp },
    { id: 'gate-16', version: '4.16', label: GATE_LABELS.ocp },
    { id: 'gate-16-sts', version: '4.16', label: GATE_LABELS.sts, sts_only: true },
    { id: 'gate-16-new', version: '4.16', label: 'example.com/gate-new' },
  ];
  return all.filter((_, index) => draw.chance(index === 3 ? 0.1 : 0.6));
}
