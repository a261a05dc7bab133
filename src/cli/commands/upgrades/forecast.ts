import { resolve } from 'node:path';
import { defined, messageOf } from '../../../base/index.ts';
import type { PlanClock } from '../../../clients/ocm/index.ts';
import { collectEarly } from '../../../clients/process/index.ts';
import { MAX_WHAT_IF_BYTES, type NamedText, whatIfInvalid } from '../../../upgrades/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { readFile } from '../../read-file.ts';
import { type ForecastFormat, printForecast } from './forecast-output.ts';
import { openReadOnly, shownWhile } from './plan.ts';
import { reportObstacles } from './plan-output.ts';
import { type SourceFlags, timed } from './ports.ts';

export interface ForecastFlags extends SourceFlags {
  readonly output: ForecastFormat;
  readonly days: number;
  readonly every: number;
  readonly org?: readonly string[];
  readonly whatIf?: string;
  readonly color?: boolean;
}

/** Shows which cluster gets which version when, if nothing else changes. Writes nothing. */
export async function forecast(given: Io, flags: ForecastFlags, clock?: PlanClock): Promise<number> {
  collectEarly();
  const io = timed(given, clock);
  const { days, every, org: organizations } = flags;
  const whatIf = flags.whatIf === undefined ? undefined : whatIfNamed(io, flags.whatIf);
  const service = await openReadOnly(io, flags, clock);
  const request = { days, every, ...defined({ organizations, whatIf }) };
  const shown = await shownWhile(io, (calls) => service.forecast(request, calls));
  await printForecast(io, shown, flags.output, paintFor(io.stdout, io.env, flags.color));
  return reportObstacles(io, shown.made.plan, paintFor(io.stderr, io.env, flags.color)) ? EXIT.failed : EXIT.ok;
}

function whatIfNamed(io: Io, name: string): NamedText {
  try {
    return { name, content: readFile(resolve(io.cwd, name), MAX_WHAT_IF_BYTES) };
  } catch (thrown) {
    throw whatIfInvalid(name, messageOf(thrown));
  }
}
