import { defined } from '../../../src/base/index.ts';
import { runScript, type Sample } from '../measure.ts';
import { script } from '../part.ts';
import { type ToolVersions, toolVersions } from '../peer-versions.ts';
import { type Row, timeText } from '../row.ts';

const SHARDS = 1_000;
const MB = 1_000_000;

/** On a real API server, beside the requests that cannot be done without, and beside the tools in use today. */
export async function benchClusters(passes: number): Promise<Row[]> {
  const tools = await toolVersions();
  const sample = runScript(script('converge.ts'), [String(SHARDS), String(passes)]);
  return [...installing(sample, tools), ...converged(sample, tools), ...loopMemory(sample, passes)];
}

interface Other {
  readonly name: string;
  readonly time: string;
  readonly how?: string;
}

function beside(sample: Sample, what: string, own: string, { name, time, how }: Other): Row {
  const [echelon = Number.NaN, other = Number.NaN] = [sample[own], sample[time]];
  const peer = { name, measured: timeText(other), ...defined({ how }) };
  return { what, echelon: timeText(echelon), peer, ratio: echelon / other };
}

/** With the defaults of its users: one file, its own limit of requests. */
function kubectlOf({ kubectl, apiServer }: ToolVersions, time: string): Other {
  const how = `\`apply --server-side -f all.json\` with the same objects in one file and defaults otherwise, a process of its own, on ${apiServer} of the same run.`;
  return { name: `${kubectl} apply --server-side`, time, how };
}

function installing(sample: Sample, tools: ToolVersions): Row[] {
  const { apiServer, helm } = tools;
  const what = `${SHARDS} shards (${sample['objects']} objects) installed on a real API server`;
  return [
    {
      ...beside(sample, `${what}: share of the throughput`, 'install', {
        ...{ name: 'bare server-side apply', time: 'bareInstall' },
        how: `The same objects through Echelon's HTTP client, one PATCH each, ten at once, nothing read; on ${apiServer} with etcd, no controllers.`,
      }),
      ratio: sample['share'] ?? Number.NaN,
      limit: { atLeast: 0.9 },
    },
    { ...beside(sample, what, 'install', kubectlOf(tools, 'kubectlInstall')), limit: { atMost: 1 } },
    {
      ...beside(sample, what, 'install', {
        ...{ name: `${helm} upgrade --install`, time: 'helmInstall' },
        how: `The same objects as the templates of one chart, without values; defaults otherwise, a process of its own, on ${apiServer} of the same run.`,
      }),
      limit: { atMost: 1 },
    },
  ];
}

function converged(sample: Sample, tools: ToolVersions): Row[] {
  const of = (name: string): number => sample[name] ?? Number.NaN;
  const what = `${SHARDS} shards, a converged pass`;
  const writes = of('convergedWrites') + of('loopWrites');
  return [
    {
      ...beside(sample, what, 'converged', {
        ...{ name: 'the bare lists it needs', time: 'lists' },
        how: "One list for each of the four kinds through Echelon's HTTP client, in pages of 100, nothing compared.",
      }),
      ratio: of('ratio'),
      limit: { atMost: 1.5 },
    },
    { ...beside(sample, what, 'converged', kubectlOf(tools, 'kubectlAgain')), limit: { atMost: 1 } },
    {
      ...beside(sample, `${what} with completed rollouts`, 'rolledOut', {
        name: 'one without',
        time: 'withoutRollouts',
      }),
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
      what: `resident memory of the loop, joined and started as in the image, after ${passes} passes, in MB`,
      echelon: text(late),
      ratio: late / MB,
      limit: { atMost: 130 },
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
