import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { EXPECTED_EVENTS, numberOf } from '../support/upgrade-simulation-check.ts';
import { DAYS } from '../support/upgrade-simulation-draw.ts';
import { Tally } from '../support/upgrade-simulation-tally.ts';
import type { Soaked } from './soak-worker.ts';

/**
 * Lets many random fleets live for half a year each, with everything that can go wrong, and prints what was tried.
 * `ECHELON_FLEETS` fleets, or as many as fit into `ECHELON_MINUTES`. Exits 1 when a promise is broken, or something was never tried.
 */
const FLEETS = 200;
/** Of a run without `ECHELON_SEED`, so that every run tries others. */
const SEEDS = 2 ** 31;
const MINUTE = 60_000;

const minutes = numberOf('ECHELON_MINUTES', 0);
const fleets = minutes > 0 ? Number.POSITIVE_INFINITY : numberOf('ECHELON_FLEETS', FLEETS);
const first = numberOf('ECHELON_SEED', Math.floor(Math.random() * SEEDS));
const started = performance.now();
const tally = new Tally();
const violations: string[] = [];
let begun = 0;
let ended = 0;

function nextSeed(): number | undefined {
  if (begun >= fleets || (minutes > 0 && performance.now() - started >= minutes * MINUTE)) return undefined;
  begun += 1;
  return first + begun - 1;
}

function add({ seed, counts, violations: found }: Soaked): void {
  ended += 1;
  for (const [what, count] of counts) tally.count(what, count);
  for (const violation of found) {
    violations.push(`seed ${seed}: ${violation}`);
    console.log(`VIOLATION with seed ${seed}: ${violation}\n`);
  }
}

/** One seed after the other, until there are no more. */
function work(): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const worker = new Worker(join(import.meta.dirname, 'soak-worker.ts'));
  const next = (): void => {
    const seed = nextSeed();
    if (seed === undefined) void worker.terminate().then(() => resolve());
    else worker.postMessage(seed);
  };
  worker.on('error', reject);
  worker.on('message', (soaked: Soaked) => {
    add(soaked);
    next();
  });
  next();
  return promise;
}

console.log(`${minutes > 0 ? `fleets for ${minutes} min` : `${fleets} fleets`} from ECHELON_SEED=${first} on`);
await Promise.all(Array.from({ length: Math.min(fleets, availableParallelism()) }, work));

const never = EXPECTED_EVENTS.filter((what) => tally.of(what) === 0);
for (const [what, count] of tally.counts()) console.log(`${String(count).padStart(10)}  ${what}`);
const faults = tally.counts().flatMap(([what, count]) => (what.startsWith('fault ') ? [count] : []));
console.log(
  [
    `${ended} fleets of ${DAYS} days, seeds ${first} to ${first + begun - 1}`,
    `${faults.reduce((sum, count) => sum + count, 0)} faults of ${faults.length} kinds`,
    `${violations.length} violations`,
    ...(never.length > 0 ? [`never tried: ${never.join(', ')}`] : []),
  ].join('; '),
);
if (violations.length > 0 || (never.length > 0 && ended >= FLEETS)) process.exitCode = 1;
