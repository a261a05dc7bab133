import { instantOf, later, MICROS } from '../../src/gates/index.ts';
import {
  decideRollouts,
  EMPTY_RECORD,
  formatRecord,
  requireRollouts,
  type ScopeFacts,
  type ShardFacts,
} from '../../src/rollouts/index.ts';
import { median } from './measure.ts';

/** Decides about a large fleet in the middle of its rollouts. Prints JSON. */
const TRACKS = 200;
const ROUNDS = 7;
const START = instantOf(Date.parse('2026-11-16T10:00:00Z'));
const [OLD, NEW] = ['quay.io/o/r:0000001', 'quay.io/o/r:0000002'];

const file = requireRollouts(
  JSON.stringify({
    tracks: Array.from({ length: TRACKS }, (_, at) => ({
      name: `track-${at}`,
      match: { environments: ['prod'], integrations: [`integration-${at}-*`] },
      waves: [
        { name: 'canary', percent: 2, soak: '10m' },
        { name: 'early', percent: 20, soak: '1h', maxParallel: 3 },
        { name: 'rest' },
      ],
      window: '* 0-23 * * *',
      health: { queries: [] },
    })),
    freezes: [{ name: 'f', from: '2026-12-20T00:00:00Z', until: '2027-01-03T00:00:00Z', reason: 'r' }],
  }),
  'rollouts.yml',
);

function factsOf(count: number): ScopeFacts {
  const shards = Array.from({ length: count }, (_, at): ShardFacts => {
    const [integration, shard] = [`integration-${at % TRACKS}-${at % 1_000}`, `account-${at}`];
    return {
      ...{ id: `${integration}/${shard}`, integration, shard, cluster: 'c', namespace: 'n' },
      ...{ workload: 'Deployment', disabled: false, seen: true },
      live: { image: at % 3 === 0 ? NEW : OLD, converged: true, ready: true, restarts: 0 } as NonNullable<
        ShardFacts['live']
      >,
    };
  });
  return { environment: 'prod', upstream: 'u', target: NEW as string, isComplete: true, shards };
}

function timeOf(count: number): { readonly milliseconds: number; readonly bytes: number } {
  const facts = factsOf(count);
  let record = EMPTY_RECORD;
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = performance.now();
    const now = later(START, round * MICROS.minute);
    record = decideRollouts(file, [facts], record, { now, period: MICROS.minute }).record;
    times.push(performance.now() - started);
  }
  return { milliseconds: median(times), bytes: formatRecord(record).byteLength };
}

const single = timeOf(5_000);
const doubled = timeOf(10_000).milliseconds;
console.log(JSON.stringify({ ...single, doubled, maxRss: process.resourceUsage().maxRSS * 1024 }));
