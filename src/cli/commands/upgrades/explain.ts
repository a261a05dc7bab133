import { defined, didYouMean, EchelonError } from '../../../base/index.ts';
import { type ClusterExplanation, explainClusters, explanationsOf } from '../../../upgrades/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import type { Format } from '../../output/format.ts';
import { writerFor } from '../../output/writers.ts';
import { EXPLANATION_WRITERS } from './explain-output.ts';
import { makePlan, type PlanClock } from './plan.ts';
import { reportObstacles } from './plan-output.ts';
import type { SourceFlags } from './sources.ts';

export interface ExplainFlags extends SourceFlags {
  readonly output: Format;
  readonly color?: boolean;
}

/** Shows every candidate of one cluster and what every gate says about it. Nothing is written anywhere. */
export async function explain(io: Io, reference: string, flags: ExplainFlags, clock?: PlanClock): Promise<number> {
  const write = writerFor(EXPLANATION_WRITERS, flags.output, 'upgrades explain');
  const { planned, plan } = await makePlan(io, flags, { readOnly: true, ...defined({ clock }) });
  const all = explainClusters(planned.organizations);
  const found = explanationsOf(all, reference);
  if (found.length === 0) {
    reportObstacles(io, plan, paintFor(io.stderr, io.env, flags.color));
    throw unknownCluster(reference, all, flags);
  }
  await write(io, found, paintFor(io.stdout, io.env, flags.color));
  return EXIT.ok;
}

function unknownCluster(reference: string, all: readonly ClusterExplanation[], flags: ExplainFlags): EchelonError {
  return new EchelonError({
    code: 'CLUSTER_UNKNOWN',
    message:
      flags.policies === 'files'
        ? `no file of an organization that is served names a cluster ${reference} that OCM has`
        : `no organization that is served has a labelled cluster ${reference}`,
    hint: didYouMean(
      reference,
      new Set(all.map(({ name }) => name)),
      'name a cluster that echelon upgrades plan -o wide shows',
    ),
  });
}
