import { COUNTED_AGAIN, DAYS_AHEAD } from './upgrade-simulation.ts';
import { drawScenario } from './upgrade-simulation-draw.ts';
import { type Run, simulate } from './upgrade-simulation-run.ts';
import { FAULT_KINDS, type Scenario } from './upgrade-simulation-scenario.ts';
import { type Shrunk, shrink } from './upgrade-simulation-shrink.ts';
import type { Tally } from './upgrade-simulation-tally.ts';

const SHRINKING_MS = 60_000;
const LINES_SHOWN = 60;

export function numberOf(name: string, fallback: number): number {
  const given = process.env[name];
  if (given === undefined || given === '') return fallback;
  const number = Number(given);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new Error(`${name} is ${given}, which is not a whole number`);
}

/** The same fleets in every run, so that a change is told from chance; `ECHELON_SEED` tries others. */
const FIRST_SEED = 1_000_000;

export function firstSeed(): number {
  return numberOf('ECHELON_SEED', FIRST_SEED);
}

const HAPPENED = [
  ...['asked cluster', 'asked control_plane', 'asked node_pool', 'cancel done', 'switch-channel done'],
  ...['asked while others were busy', 'asked with soak', 'asked with a sector'],
  ...[DAYS_AHEAD, COUNTED_AGAIN],
  ...['upgrade unconfirmed', 'passes with a wrong clock', 'plans in another order', 'upgrades forecast'],
];

/** What must have happened at least once for a run over many fleets to prove anything. */
export const EXPECTED_EVENTS: readonly string[] = [...FAULT_KINDS.map((kind) => `fault ${kind}`), ...HAPPENED];

/** Lets one fleet live with everything that can go wrong; throws with the shortest way to a promise that is broken. */
export async function checkFleet(seed: number, tally: Tally): Promise<void> {
  const scenario = drawScenario(seed);
  const run = await simulate(scenario, tally);
  if (run.broken === undefined) return;
  const started = performance.now();
  const shrunk = await shrink(scenario, run, simulate, () => performance.now() - started < SHRINKING_MS);
  throw new Error(reportOf(run, shrunk));
}

/** What broke, how to see it again, and the shortest way to it that was found. */
function reportOf({ broken }: Run, { scenario, run, runs }: Shrunk): string {
  const left = run.trace.length - LINES_SHOWN;
  return [
    `${broken?.promise} is broken: ${broken?.message}`,
    `to repeat: ECHELON_SEED=${scenario.seed} ECHELON_FLEETS=1 vitest run test/sim/upgrades.test.ts`,
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
