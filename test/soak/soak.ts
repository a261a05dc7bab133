import { availableParallelism } from 'node:os';
import { skipRealKube } from '../support/real-kube.ts';
import { BRAKES, FAULTS as ROLLOUT_FAULTS } from '../support/rollout-simulation.ts';
import { EXPECTED_EVENTS, numberOf } from '../support/upgrade-simulation-check.ts';
import { DAYS } from '../support/upgrade-simulation-draw.ts';
import { soakFleets } from './fleets.ts';
import { type SoakRecord, soakStorms } from './storms.ts';

/**
 * Lets many random fleets live for half a year each, and managers live through storms on a real API server, with everything that
 * can go wrong, and prints what was tried. `ECHELON_FLEETS` fleets and `ECHELON_STORMS` storms, or as many as fit into
 * `ECHELON_MINUTES`, or both limits together. The folder `ECHELON_RECORD` gets the audit log and the managers' logs. Exits 1 when
 * a promise is broken, or something was never tried.
 */
const FLEETS = 200;
const STORMS = 12;
/** Of a run without `ECHELON_SEED`, so that every run tries others. */
const SEEDS = 2 ** 31;
const MINUTE = 60_000;
const ROLLOUT_CHECK = /^seed \d+: (?:R\d|D2|the history of a rollout|explain names what holds a shard)/;

const minutes = numberOf('ECHELON_MINUTES', 0);
const limit = (name: string, fallback: number): number =>
  numberOf(name, minutes > 0 ? Number.POSITIVE_INFINITY : fallback);
const fleets = limit('ECHELON_FLEETS', FLEETS);
const storms = skipRealKube ? 0 : limit('ECHELON_STORMS', STORMS);
const first = numberOf('ECHELON_SEED', Math.floor(Math.random() * SEEDS));
const started = performance.now();

/** Seeds from the first on, until there are enough or the time is over. */
function seeds(count: number): () => number | undefined {
  let begun = 0;
  return () => {
    if (begun >= count || (minutes > 0 && performance.now() - started >= minutes * MINUTE)) return undefined;
    begun += 1;
    return first + begun - 1;
  };
}

function print({ tally }: SoakRecord): void {
  for (const [what, count] of tally.counts()) console.log(`${String(count).padStart(10)}  ${what}`);
}

console.log(
  `${minutes > 0 ? `fleets and storms for ${minutes} min` : `${fleets} fleets, ${storms} storms`} from ECHELON_SEED=${first} on`,
);
const workers = Math.min(fleets, Math.max(1, availableParallelism() - (storms > 0 ? 1 : 0)));
const [lived, weathered] = await Promise.all([
  soakFleets(workers, seeds(fleets)),
  storms > 0 ? soakStorms(seeds(storms), process.env['ECHELON_RECORD'] || undefined) : undefined,
]);

print(lived);
const never = fleets === 0 ? [] : EXPECTED_EVENTS.filter((what) => lived.tally.of(what) === 0);
const faults = lived.tally.counts().flatMap(([what, count]) => (what.startsWith('fault ') ? [count] : []));
const ended = lived.tally.of('fleets');
console.log(
  [
    `${ended} fleets of ${DAYS} days, seeds ${first} on`,
    `${faults.reduce((sum, count) => sum + count, 0)} faults of ${faults.length} kinds`,
    `${lived.violations.length} violations`,
    ...(never.length > 0 ? [`never tried: ${never.join(', ')}`] : []),
  ].join('; '),
);
const rollouts = lived.tally.counts().filter(([what]) => what.startsWith('rollout fault '));
const untried = fleets === 0 ? [] : ROLLOUT_FAULTS.filter((fault) => lived.tally.of(`rollout fault ${fault}`) === 0);
console.log(
  [
    `${lived.tally.of('rollouts')} rollouts of several images each, ${lived.tally.of('rollouts as forecast')} as forecast`,
    `${rollouts.reduce((sum, [, count]) => sum + count, 0)} faults of ${rollouts.length} kinds`,
    `${BRAKES.reduce((sum, action) => sum + lived.tally.of(`rollout stopped: ${action}`), 0)} stopped by hand in ${BRAKES.length} ways`,
    `${lived.violations.filter((one) => ROLLOUT_CHECK.test(one)).length} violations`,
    ...(untried.length > 0 ? [`never tried: ${untried.join(', ')}`] : []),
  ].join('; '),
);
if (weathered !== undefined) {
  console.log();
  print(weathered);
  for (const violation of weathered.violations) console.log(`VIOLATION in a storm: ${violation}\n`);
  const { tally, violations } = weathered;
  console.log(
    [
      `${tally.of('storms')} storms on a real API server in ${Math.round((performance.now() - started) / MINUTE)} min`,
      `${tally.of('kills')} kills, ${tally.of('lease pauses')} lease pauses, ${tally.of('changes of leader')} changes of leader`,
      `${tally.of('writes')} writes, ${tally.of('writes by non-leaders')} by non-leaders`,
      `${tally.of('foreign objects touched')} foreign objects touched`,
      violations.length === 0 ? 'converged, 0 violations' : `${violations.length} violations`,
    ].join('; '),
  );
}
const isBroken = lived.violations.length + (weathered?.violations.length ?? 0) > 0;
if (isBroken || (never.length + untried.length > 0 && ended >= FLEETS)) process.exitCode = 1;
