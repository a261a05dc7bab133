import { exponentOf } from '../exponent.ts';
import { runScript, type Sample } from '../measure.ts';
import { script } from '../part.ts';
import { MIB, type Row, sizeText, timeText } from '../row.ts';

const SIZES = [
  { shards: 100, clusters: 1 },
  { shards: 1_000, clusters: 5 },
  { shards: 5_000, clusters: 20 },
  { shards: 10_000, clusters: 50 },
];
const LIMIT = { atMost: 1.1 };

/** How the manager grows with its shards and clusters, which are simulated API servers in another process. */
export function benchGrowthShards(): Row[] {
  const samples = SIZES.map(({ shards, clusters }) =>
    runScript(script('growth-shards.ts'), [String(shards), String(clusters)]),
  );
  const curve = (what: string, unit: 'ms' | 'MiB', of: (sample: Sample) => number | undefined): Row => {
    const points = samples.map((sample, at) => ({ x: SIZES[at]?.shards ?? 0, y: of(sample) ?? Number.NaN }));
    const largest = points.at(-1)?.y ?? Number.NaN;
    return {
      what: `${what}, 100 shards on 1 cluster to 10,000 on 50: exponent`,
      echelon: `at 10,000: ${unit === 'ms' ? timeText(largest) : sizeText(largest * MIB)}`,
      ratio: exponentOf(points),
      limit: LIMIT,
      points,
      axes: { x: 'shards', y: unit },
    };
  };
  return [
    curve('shards rendered', 'ms', ({ render }) => render),
    curve('plan of a first install', 'ms', ({ plan }) => plan),
    curve('converged pass', 'ms', ({ pass }) => pass),
    curve('peak memory of the manager', 'MiB', ({ maxRss }) => maxRss / MIB),
  ];
}
