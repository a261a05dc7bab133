import { exponentOf } from '../exponent.ts';
import { AS_STARTED, runScript, type Sample } from '../measure.ts';
import { script } from '../part.ts';
import { MIB, type Point, type Row, sizeText, timeText } from '../row.ts';

const PER_ORGANIZATION = 100;
const ORGANIZATIONS = [10, 50, 200, 1_000];
/** Of one organization. */
const LARGE = [500, 1_000, 2_000, 4_000, 8_000];
const LIMIT = { atMost: 1.1 };
/** What a pass may hold for each further cluster, in KiB. */
const HELD = { atMost: 4 };

type Unit = 'ms' | 'MiB' | 'calls';

function curve(what: string, unit: Unit, points: readonly Point[]): Row {
  const largest = points.at(-1) ?? { x: 0, y: Number.NaN };
  const shown = { ms: timeText(largest.y), MiB: sizeText(largest.y * MIB), calls: String(largest.y) };
  return {
    what: `${what}: exponent`,
    echelon: `at ${largest.x.toLocaleString('en')}: ${shown[unit]}`,
    ...{ ratio: exponentOf(points), limit: LIMIT, points, axes: { x: 'clusters', y: unit } },
  };
}

/** How the upgrade scheduler grows with clusters in organizations of the same size, and with one organization. */
export function benchGrowthClusters(): Row[] {
  const fleet = `1,000 clusters in 10 organizations to 100,000 in 1,000`;
  const decided = ORGANIZATIONS.map((count) => measured('growth-decide.ts', count, PER_ORGANIZATION));
  const large = LARGE.map((clusters) => measured('growth-decide.ts', 1, clusters));
  const passes = ORGANIZATIONS.map((count) => measured('growth-pass.ts', count, PER_ORGANIZATION));
  const of = (samples: readonly Measured[], y: (sample: Sample) => number | undefined): Point[] =>
    samples.map(({ clusters, sample }) => ({ x: clusters, y: y(sample) ?? Number.NaN }));
  const heap = of(passes, (sample) => sample['heap']);
  const perCluster = heldForEach(heap[1], heap[2]) / 1024;
  return [
    curve(
      `decisions for ${fleet}`,
      'ms',
      of(decided, ({ milliseconds }) => milliseconds),
    ),
    curve(
      'decisions for one organization of 500 to 8,000 clusters',
      'ms',
      of(large, ({ milliseconds }) => milliseconds),
    ),
    curve(
      `first pass over ${fleet}`,
      'ms',
      of(passes, ({ first }) => first),
    ),
    curve(
      `unchanged pass over ${fleet}`,
      'ms',
      of(passes, ({ second }) => second),
    ),
    curve(
      `peak memory of the scheduler, ${fleet}`,
      'MiB',
      of(passes, ({ maxRss }) => maxRss / MIB),
    ),
    curve(
      `heap that an unchanged pass holds, ${fleet}`,
      'MiB',
      heap.map(({ x, y }) => ({ x, y: y / MIB })),
    ),
    curve(
      `list calls of an unchanged pass, ${fleet}`,
      'calls',
      of(passes, ({ lists }) => lists),
    ),
    ...passes.slice(-1).map(({ sample: { lists = Number.NaN, allowed = Number.NaN } }) => ({
      what: 'an unchanged pass over 100,000 clusters: list calls',
      echelon: String(lists),
      peer: { name: 'labels, subscriptions and clusters by 100, plus 3', measured: String(allowed) },
      ...{ ratio: lists / allowed, limit: { atMost: 1 } },
    })),
    {
      what: 'heap that a pass holds for each further cluster, 5,000 to 20,000 in organizations of 100: KiB',
      ...{ echelon: `${perCluster.toPrecision(2)} KiB`, ratio: perCluster, limit: HELD },
    },
  ];
}

interface Measured {
  readonly clusters: number;
  readonly sample: Sample;
}

function measured(name: string, organizations: number, perOrganization: number): Measured {
  const sample = runScript(script(name), [String(organizations), String(perOrganization)], AS_STARTED);
  return { clusters: organizations * perOrganization, sample };
}

function heldForEach(few: Point | undefined, many: Point | undefined): number {
  if (few === undefined || many === undefined) return Number.NaN;
  return (many.y - few.y) / (many.x - few.x);
}
