import { isDeepStrictEqual } from 'node:util';
import { parentPort } from 'node:worker_threads';
import { liftAll } from '../support/explain-lifts.ts';
import { foreseenAndHappened } from '../support/forecast-fleet.ts';
import { differenceToStepping } from '../support/odd-fleet.ts';
import {
  beforeForecast,
  checkRollouts,
  forecastAndHappened,
  liftedGates,
  stopped,
  unevenHistory,
} from '../support/rollout-check.ts';
import { BRAKES } from '../support/rollout-simulation.ts';
import { checkFleet } from '../support/upgrade-simulation-check.ts';
import { influenceOfBadLabels } from '../support/upgrade-simulation-isolation.ts';
import { Tally } from '../support/upgrade-simulation-tally.ts';

/** What one seed showed. */
export interface Soaked {
  readonly seed: number;
  readonly counts: readonly (readonly [what: string, count: number])[];
  readonly violations: readonly string[];
}

const CHECKS: Readonly<Record<string, (seed: number, tally: Tally) => Promise<void>>> = {
  'U1 to U5, X2 and liveness': checkFleet,
  'U6, bad labels': async (seed) => {
    const found = await influenceOfBadLabels(seed);
    if (found.length > 0) throw new Error(found.join('\n'));
  },
  'explain names what holds a cluster': async (seed, tally) => {
    for (const each of seedsOf(seed)) {
      for (const gate of (await liftAll(each)).flat()) tally.count(`gate lifted: ${gate}`);
    }
  },
  'what was forecast happens': async (seed, tally) => {
    for (const each of seedsOf(seed)) {
      const { foreseen, happened } = await foreseenAndHappened(each, {
        ...{ days: 7, every: each % 5 === 0 ? 60 : 120, minors: each % 3 === 0 },
      });
      if (!isDeepStrictEqual(foreseen, happened)) throw new Error(JSON.stringify({ each, foreseen, happened }));
      tally.count('upgrades as forecast', happened.length);
    }
  },
  'a forecast is the same as pass by pass': async (seed, tally) => {
    for (const odd of seedsOf(seed)) {
      const difference = differenceToStepping(odd);
      if (difference !== undefined) throw new Error(`odd fleet ${odd}: ${JSON.stringify(difference)}`);
      tally.count('forecasts as pass by pass');
    }
  },
  'R1 to R6': async (seed, tally) => {
    const { violations, counts } = checkRollouts(seed);
    if (violations.length > 0) throw new Error(violations.slice(0, MOST_SHOWN).join('\n'));
    tally.count('rollouts');
    for (const [what, count] of counts) tally.count(`rollout ${what}`, count);
  },
  'R7, what was forecast of a rollout happens': async (seed, tally) => {
    const { forecast, happened } = forecastAndHappened(seed);
    if (!isDeepStrictEqual(forecast, happened)) throw new Error(JSON.stringify({ forecast, happened }));
    const early = beforeForecast(seed);
    if (early.length > 0) throw new Error(early.join('\n'));
    tally.count('rollouts as forecast');
  },
  'D2, what is done to stop an image opens no gate': async (seed, tally) => {
    for (const action of BRAKES) {
      const { isStopped, went, violations } = stopped(seed, action);
      if (violations.length > 0) throw new Error(`${action}: ${violations.slice(0, MOST_SHOWN).join('\n')}`);
      if (went > 0) throw new Error(`${action}: ${went} shards took the image afterwards`);
      if (isStopped) tally.count(`rollout stopped: ${action}`);
    }
  },
  'the history of a rollout has every step once': async (seed, tally) => {
    const uneven = unevenHistory(seed);
    if (uneven.length > 0) throw new Error(uneven.join('\n'));
    tally.count('rollouts with a whole history');
  },
  'explain names what holds a shard': async (seed, tally) => {
    const { gates, stuck } = liftedGates(seed);
    if (stuck.length > 0) throw new Error(stuck.join('\n'));
    for (const gate of gates) tally.count(`rollout gate lifted: ${gate}`);
  },
};
const MOST_SHOWN = 5;
/** Small fleets for each seed, so that 200 of them make a thousand. */
const SMALL_FLEETS = 5;

function seedsOf(seed: number): number[] {
  return Array.from({ length: SMALL_FLEETS }, (_, nth) => seed * SMALL_FLEETS + nth);
}

async function soak(seed: number): Promise<Soaked> {
  const tally = new Tally();
  const violations: string[] = [];
  for (const [name, check] of Object.entries(CHECKS)) {
    await check(seed, tally).catch((thrown: unknown) =>
      violations.push(`${name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`),
    );
  }
  return { seed, counts: tally.counts(), violations };
}

parentPort?.on('message', (seed: number) => void soak(seed).then((soaked) => parentPort?.postMessage(soaked)));
