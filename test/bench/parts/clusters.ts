import { runScript, type Sample } from '../measure.ts';
import { script } from '../part.ts';
import { type Row, timeText } from '../row.ts';

const SHARDS = 1_000;
const MB = 1_000_000;

/** On a real API server, beside the requests that cannot be done without, and beside the tools in use today. */
export function benchClusters(passes: number): Row[] {
  const sample = runScript(script('converge.ts'), [String(SHARDS), String(passes)]);
  return [...installing(sample), ...converged(sample), ...loopMemory(sample, passes)];
}

function beside(sample: Sample, what: string, own: string, name: string, peer: string): Row {
  const [echelon = Number.NaN, other = Number.NaN] = [sample[own], sample[peer]];
  return { what, echelon: timeText(echelon), peer: { name, measured: timeText(other) }, ratio: echelon / other };
}

function installing(sample: Sample): Row[] {
  const what = `${SHARDS} shards (${sample['objects']} objects) installed on a real API server`;
  return [
    {
      ...beside(sample, `${what}: share of the throughput`, 'install', 'bare server-side apply', 'bareInstall'),
      ratio: sample['share'] ?? Number.NaN,
      limit: { atLeast: 0.9 },
    },
    beside(sample, what, 'install', 'kubectl apply --server-side', 'kubectlInstall'),
    beside(sample, what, 'install', 'helm upgrade --install', 'helmInstall'),
  ];
}

function converged(sample: Sample): Row[] {
  const of = (name: string): number => sample[name] ?? Number.NaN;
  const what = `${SHARDS} shards, a converged pass`;
  const writes = of('convergedWrites') + of('loopWrites');
  return [
    {
      ...beside(sample, what, 'converged', 'the bare lists it needs', 'lists'),
      ratio: of('ratio'),
      limit: { atMost: 1.5 },
    },
    beside(sample, what, 'converged', 'kubectl apply --server-side', 'kubectlAgain'),
    {
      ...beside(sample, `${what} with completed rollouts`, 'rolledOut', 'one without', 'withoutRollouts'),
      ratio: of('rolloutRatio'),
      limit: { atMost: 1.1 },
    },
    { what: 'writes of converged passes', echelon: String(writes), ratio: writes, limit: { atMost: 0 } },
  ];
}

function loopMemory(sample: Sample, passes: number): Row[] {
  const [early = Number.NaN, late = Number.NaN] = [sample['loopEarly'], sample['loopLate']];
  const text = (bytes: number): string => `${Math.round(bytes / MB)} MB`;
  return [
    {
      what: `resident memory of the loop after ${passes} passes, in MB`,
      echelon: text(late),
      ratio: late / MB,
      limit: { atMost: 150 },
    },
    {
      what: `resident memory of the loop after ${passes} passes`,
      echelon: text(late),
      peer: { name: 'early', measured: text(early) },
      ratio: late / early,
      limit: { atMost: 1.1 },
    },
  ];
}
