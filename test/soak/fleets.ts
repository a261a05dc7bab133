import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Tally } from '../support/upgrade-simulation-tally.ts';
import type { Soaked } from './soak-worker.ts';
import type { SoakRecord } from './storms.ts';

/** Lets random fleets live for half a year each, with everything that can go wrong, as long as there are seeds. */
export async function soakFleets(workers: number, nextSeed: () => number | undefined): Promise<SoakRecord> {
  const tally = new Tally();
  const violations: string[] = [];
  const add = ({ seed, counts, violations: found }: Soaked): void => {
    tally.count('fleets');
    for (const [what, count] of counts) tally.count(what, count);
    for (const violation of found) {
      violations.push(`seed ${seed}: ${violation}`);
      console.log(`VIOLATION with seed ${seed}: ${violation}\n`);
    }
  };
  await Promise.all(Array.from({ length: workers }, () => work(nextSeed, add)));
  return { tally, violations };
}

/** One seed after the other, until there are no more. */
function work(nextSeed: () => number | undefined, add: (soaked: Soaked) => void): Promise<void> {
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
