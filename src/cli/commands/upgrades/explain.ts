import type { PlanClock } from '../../../clients/ocm/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import type { Format } from '../../output/format.ts';
import { writerFor } from '../../output/writers.ts';
import { EXPLANATION_WRITERS } from './explain-output.ts';
import { openReadOnly, shownWhile } from './plan.ts';
import { reportObstacles } from './plan-output.ts';
import { type SourceFlags, timed } from './ports.ts';

export interface ExplainFlags extends SourceFlags {
  readonly output: Format;
  readonly color?: boolean;
}

/** Shows every candidate of one cluster with the verdict of every gate. Writes nothing. */
export async function explain(given: Io, reference: string, flags: ExplainFlags, clock?: PlanClock): Promise<number> {
  const io = timed(given, clock);
  const write = writerFor(EXPLANATION_WRITERS, flags.output, 'upgrades explain');
  const service = await openReadOnly(io, flags, clock);
  const answer = await shownWhile(io, (calls) => service.explain(reference, calls));
  if ('unknown' in answer) {
    reportObstacles(io, answer.made.plan, paintFor(io.stderr, io.env, flags.color));
    throw answer.unknown;
  }
  await write(io, answer.clusters, paintFor(io.stdout, io.env, flags.color));
  return EXIT.ok;
}
