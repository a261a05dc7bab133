import { INCUMBENT_RELEASE, incumbentMissing } from '../../support/incumbent.ts';
import { hasShared } from '../../support/shared.ts';
import { runScript, type Sample } from '../measure.ts';
import { script } from '../part.ts';
import { type Row, timeText } from '../row.ts';

const SHARDS = 1_000;
const [PACKAGE = '', VERSION = ''] = INCUMBENT_RELEASE.split('==');
const IN_PROCESS =
  'The published package in CPython 3.11, its own functions in one process after imports and a warm-up, from objects in memory to the result, without network and logs.';

/** Beside the published manager and scheduler: their own functions on the same data, with equal results. */
export function benchIncumbent(): Row[] {
  return measured(() => [benchValues(), ...benchDecisions(200, 1_000)]);
}

/** The published scheduler takes half a minute for it. */
export function benchLargeIncumbent(): Row[] {
  return measured(() => benchDecisions(2_000));
}

function measured(rows: () => Row[]): Row[] {
  const missing = incumbentMissing() ?? (hasShared ? undefined : 'the GraphQL types of instances are required');
  if (missing !== undefined) return [{ what: `beside ${PACKAGE} ${VERSION}`, echelon: `not measured: ${missing}` }];
  return rows();
}

function benchValues(): Row {
  const sample = runScript(script('peer-values.ts'), [String(SHARDS)]);
  return beside(sample, `Helm values of ${sample['shards']} shards`, '', 'its GraphQL answers → `build_helm_values`.');
}

function benchDecisions(...sizes: readonly number[]): Row[] {
  const sample = runScript(script('peer-decide.ts'), sizes.map(String));
  const functions = '`update_history` and `calculate_diff`; Echelon with `--rules qontract`.';
  return sizes.map((clusters) =>
    beside(sample, `decide ${clusters} clusters × 20 versions`, `-${clusters}`, functions),
  );
}

function beside(sample: Sample, what: string, suffix: string, functions: string): Row {
  const [echelon = Number.NaN, peer = Number.NaN] = [sample[`echelon${suffix}`], sample[`incumbent${suffix}`]];
  return {
    what,
    echelon: timeText(echelon),
    peer: { name: `${PACKAGE} ${VERSION}`, measured: timeText(peer), how: `${IN_PROCESS} ${functions}` },
    ratio: echelon / peer,
    limit: { atMost: 1 },
  };
}
