import { didYouMean, EchelonError } from '../../../base/index.ts';
import {
  applyWhatIf,
  DEFAULT_RULES,
  type Forecast,
  forecast as forecastOf,
  instantOf,
  isSkipped,
  MICROS,
  type Move,
  movesBetween,
  type PlannedOrganization,
  parseRules,
  type Rules,
} from '../../../upgrades/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { readConfigFile } from './config-file.ts';
import { type ForecastFormat, printForecast } from './forecast-output.ts';
import { makePlan, type PlanClock } from './plan.ts';
import { reportObstacles } from './plan-output.ts';
import type { SourceFlags } from './sources.ts';
import { readWhatIf } from './what-if-file.ts';

export interface ForecastFlags extends SourceFlags {
  readonly output: ForecastFormat;
  readonly days: number;
  /** Minutes between two passes. */
  readonly every: number;
  /** Ids or names; only what is shown is narrowed, since others may hold histories that these inherit. */
  readonly org?: readonly string[];
  readonly whatIf?: string;
  readonly color?: boolean;
}

const SYSTEM: PlanClock = { now: () => new Date() };
const MOST_DAYS = 730;

/** Shows which cluster gets which version when, if nothing else changes. Nothing is written anywhere. */
export async function forecast(io: Io, flags: ForecastFlags, clock: PlanClock = SYSTEM): Promise<number> {
  if (flags.days > MOST_DAYS) throw tooLong(flags.days);
  const { planned, plan } = await makePlan(io, flags, { readOnly: true, clock });
  const all = planned.organizations.filter((outcome): outcome is PlannedOrganization => !isSkipped(outcome));
  const chosen = chosenOf(all, flags.org ?? []);
  const from = instantOf(clock.now().getTime());
  const rules = rulesOf(io, flags);
  const options = { from, days: flags.days, every: flags.every * MICROS.minute, rules };
  const whatIf = flags.whatIf === undefined ? undefined : await readWhatIf(io, flags.whatIf, from);
  const changed = whatIf === undefined ? undefined : applyWhatIf(all, whatIf, rules);
  const plain = narrowed(forecastOf(all, options), chosen);
  let shown: { forecast: Forecast; moves?: readonly Move[] } = { forecast: plain };
  if (whatIf !== undefined && changed !== undefined) {
    const other = narrowed(forecastOf(changed, { ...options, releases: whatIf.releases }), chosen);
    shown = { forecast: other, moves: movesBetween(plain, other) };
  }
  await printForecast(io, shown, flags.output, paintFor(io.stdout, io.env, flags.color));
  return reportObstacles(io, plan, paintFor(io.stderr, io.env, flags.color)) ? EXIT.failed : EXIT.ok;
}

function narrowed(forecast: Forecast, chosen: ReadonlySet<string>): Forecast {
  return { ...forecast, clusters: forecast.clusters.filter(({ orgId }) => chosen.has(orgId)) };
}

function chosenOf(all: readonly PlannedOrganization[], names: readonly string[]): ReadonlySet<string> {
  const known = all.flatMap(({ orgId, name }) => [orgId, name]);
  const stranger = names.find((name) => !known.includes(name));
  if (stranger !== undefined)
    throw new EchelonError({
      code: 'ORGANIZATION_UNKNOWN',
      message: `there is no organization ${stranger} in this forecast`,
      hint: didYouMean(stranger, new Set(known), 'name one that is served and has a labelled cluster'),
    });
  const chosen = all.filter(({ orgId, name }) => names.length === 0 || names.includes(orgId) || names.includes(name));
  return new Set(chosen.map(({ orgId }) => orgId));
}

/** Those that the plan was made by. */
function rulesOf(io: Io, { rules, configFile }: SourceFlags): Rules {
  const given = rules ?? (configFile === undefined ? undefined : readConfigFile(io, configFile).config.rules);
  return given === undefined ? DEFAULT_RULES : parseRules(given);
}

function tooLong(days: number): EchelonError {
  return new EchelonError({
    code: 'FLAG_INVALID',
    message: `--days ${days} is too far ahead`,
    hint: `look at most ${MOST_DAYS} days ahead`,
  });
}
