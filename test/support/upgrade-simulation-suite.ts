import { describe, expect, it } from 'vitest';
import { DAYS, drawScenario } from './upgrade-simulation-draw.ts';
import { type Run, simulate } from './upgrade-simulation-run.ts';
import { FAULT_KINDS, type Scenario } from './upgrade-simulation-scenario.ts';
import { type Shrunk, shrink } from './upgrade-simulation-shrink.ts';
import { Tally } from './upgrade-simulation-tally.ts';

/** In every run; `ECHELON_FLEETS` asks for more. */
const FLEETS = 200;
const BATCH = 5;
const BATCH_TIMEOUT_MS = 240_000;
const SHRINKING_MS = 60_000;
/** Below this many it is left to chance what happens. */
const ENOUGH_FLEETS = 25;
const LINES_SHOWN = 60;

export function numberOf(name: string, fallback: number): number {
  const given = process.env[name];
  if (given === undefined || given === '') return fallback;
  const number = Number(given);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new Error(`${name} is ${given}, which is not a whole number`);
}

/** The same fleets in every run, so that a change is told from chance; `ECHELON_SEED` and `ECHELON_FLEETS` try others. */
const FIRST_SEED = 1_000_000;

/** The seed of the first fleet of a file; one that is given belongs to the first file. */
export function firstSeed(offset: number): number {
  return numberOf('ECHELON_SEED', FIRST_SEED) + offset;
}

/** One of several files that share the fleets of a run among them. */
export function simulateFleets(part: number, parts: number): void {
  const fleets = numberOf('ECHELON_FLEETS', FLEETS);
  const first = Math.floor((fleets * (part - 1)) / parts);
  const count = Math.floor((fleets * part) / parts) - first;
  const seed = firstSeed(first);
  const tally = new Tally();

  describe.skipIf(count === 0)(
    `U1 to U5, X2 and liveness in ${count} fleets of ${DAYS} days, from seed ${seed}`,
    () => {
      const batches = Array.from({ length: Math.ceil(count / BATCH) }, (_, index) => index * BATCH);
      it.each(batches)(
        'hold, whatever goes wrong, from fleet %i on',
        async (from) => {
          for (let index = from; index < Math.min(from + BATCH, count); index += 1) await check(seed + index, tally);
        },
        BATCH_TIMEOUT_MS,
      );

      it('was tried with everything that can go wrong', () => {
        console.info(`ECHELON_SEED=${seed} for ${count} fleets of ${DAYS} days\n${tally.text()}`);
        if (count < ENOUGH_FLEETS) return;
        const expected = [...FAULT_KINDS.map((kind) => `fault ${kind}`), ...HAPPENED];
        expect(expected.filter((what) => tally.of(what) === 0)).toEqual([]);
      });
    },
  );
}

const HAPPENED = [
  ...['asked cluster', 'asked control_plane', 'asked node_pool', 'cancel done', 'switch-channel done'],
  ...['asked while others were busy', 'asked with soak', 'asked with a sector'],
  ...['upgrade unconfirmed', 'passes with a wrong clock', 'plans in another order', 'upgrades forecast'],
];

async function check(seed: number, tally: Tally): Promise<void> {
  const scenario = drawScenario(seed);
  const run = await simulate(scenario, tally);
  if (run.broken === undefined) return;
  const started = performance.now();
  const shrunk = await shrink(scenario, run, simulate, () => performance.now() - started < SHRINKING_MS);
  throw new Error(reportOf(run, shrunk));
}

/** What broke, how to see it again, and the shortest way to it that was found. */
export function reportOf({ broken }: Run, { scenario, run, runs }: Shrunk): string {
  const left = run.trace.length - LINES_SHOWN;
  return [
    `${broken?.promise} is broken: ${broken?.message}`,
    `to repeat: ECHELON_SEED=${scenario.seed} ECHELON_FLEETS=1 vitest run test/sim/upgrades-1.test.ts`,
    `the shortest of ${runs + 1} runs that break it:`,
    ...describeFleet(scenario),
    ...(left > 0 ? [`… ${left} lines …`] : []),
    ...run.trace.slice(-LINES_SHOWN),
  ].join('\n');
}

function describeFleet({ organizations, passes, events }: Scenario): string[] {
  return [
    ...organizations.flatMap(({ id, aus, clusters }) => [
      `${id} ${JSON.stringify(aus)}`,
      ...clusters.map(
        ({ name, version, pools, aus: labels }) => `  ${name} ${[version, ...pools]} ${JSON.stringify(labels)}`,
      ),
    ]),
    ...events.map((event) => `  ${JSON.stringify(event)}`),
    `${passes.length} passes`,
  ];
}
