import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { count, defined } from '../../../base/index.ts';
import { makeFolder } from '../../../clients/files/index.ts';
import { type Instant, instantOf } from '../../../gates/index.ts';
import { type ManagerFile, managerFileOf } from '../../../instance/index.ts';
import { recordShadows } from '../../../manager/index.ts';
import { type RunnerFlags, requireCommand } from '../../../promotion/index.ts';
import type { RolloutRecords } from '../../../rollouts/index.ts';
import { systemClock } from '../../../runtime/index.ts';
import {
  openShadow,
  type ShadowReport,
  type ShadowRequest,
  type ShadowRunner,
  shadowJunit,
  shadowMarkdown,
  shadowProof,
  shadowText,
  worstOf,
} from '../../../shadow/index.ts';
import { readCapabilities } from '../../capabilities-option.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { penFor } from '../../output/fitting.ts';
import { API_VERSION, type Format } from '../../output/format.ts';
import { line } from '../../output/terminal.ts';
import { documentWriters, type Writers, writerFor } from '../../output/writers.ts';
import type { FleetFlags } from '../manager/flags.ts';
import { recordsOf } from '../manager/rollout-ports.ts';
import { withClusterRunner } from './cluster-runner.ts';
import { localRunner } from './local-runner.ts';
import { withPinnedData } from './pinned-data.ts';
import { runningPort } from './running.ts';

export type ShadowFormat = Exclude<Format, 'name'> | 'junit';

export interface ShadowFlags
  extends Omit<FleetFlags, 'output'>,
    Omit<RunnerFlags, 'runner'>,
    Pick<ShadowRequest, 'candidate' | 'baseline' | 'repeat' | 'jobs' | 'timeout'> {
  readonly output: ShadowFormat;
  readonly shard?: readonly string[];
  readonly logDir: string;
  readonly runner: RunnerFlags['runner'] | 'kubernetes';
  readonly record?: boolean;
}

const EXIT_OF = { same: EXIT.ok, noise: EXIT.ok, different: EXIT.failed, inconclusive: EXIT.notCompared } as const;

/** Compares what two images would do; exits 0 for the same, 1 for a difference, 2 where that is not known. */
export async function shadow(io: Io, integration: string, flags: ShadowFlags): Promise<number> {
  const write = writerFor(WRITERS, flags.output, 'shadow');
  const { runner: name } = flags;
  if (name !== 'kubernetes') requireCommand({ ...flags, runner: name });
  makeFolder(resolve(io.cwd, flags.logDir), '--log-dir');
  const capabilities = readCapabilities(io, flags.capabilities);
  const began = instantOf((io.now?.() ?? systemClock.now()).getTime());
  let file: ManagerFile | undefined;
  const report = await withPinnedData(io, flags, (data) => {
    file = flags.record === true ? managerFileOf(data.instance.snapshot) : undefined;
    const settings = { id: randomBytes(4).toString('hex'), ...defined({ capabilities }) };
    const withRunner = (use: (runner: ShadowRunner) => Promise<ShadowReport>): Promise<ShadowReport> =>
      name === 'kubernetes'
        ? withClusterRunner(io, flags, data, settings.id, use)
        : use(localRunner(io, { ...flags, runner: name }, data));
    const ports = {
      instance: data.instance,
      dataChanged: data.changed,
      runningImages: runningPort(io, { ...flags, output: 'table' }, data.instance),
      signal: io.signal,
    };
    const request = requestOf(io, integration, flags);
    return withRunner((runner) => openShadow(settings, { ...ports, runner }).compare(request));
  });
  await write(io, report, paintFor(io.stdout, io.env, flags.color));
  if (flags.record === true) await store(io, recordsOf(io, flags, file), report, began);
  return EXIT_OF[worstOf(report.shards)];
}

async function store(io: Io, records: RolloutRecords, report: ShadowReport, began: Instant): Promise<void> {
  const { stored, unknown } = await recordShadows(records, report, began);
  io.stderr.write(line(`recorded for ${count(stored.length, 'shard')} of rollouts`));
  for (const shard of unknown) io.stderr.write(line(`note: ${shard} is not in the record of rollouts`));
}

function requestOf(io: Io, integration: string, flags: ShadowFlags): ShadowRequest {
  const { shard: shards, environmentName, cluster: clusters, namespace: namespaces, baseline } = flags;
  const { candidate, repeat, jobs, timeout } = flags;
  const environment = environmentName ?? (io.env['ENVIRONMENT_NAME'] || undefined);
  return {
    ...{ integration, candidate, repeat, jobs, timeout },
    ...defined({ shards, environment, clusters, namespaces, baseline }),
    onResult: ({ shard, comparison }) => io.stderr.write(line(`${shard.object}: ${comparison.result}`)),
  };
}

const WRITERS: Writers<ShadowReport, ShadowFormat> = {
  table: (io, report, paint) => io.stdout.write(shadowText(report, penFor(io, paint, 'table'), false)),
  wide: (io, report, paint) => io.stdout.write(shadowText(report, penFor(io, paint, 'wide'), true)),
  ...documentWriters((report: ShadowReport) => {
    const proof = shadowProof(report);
    return { apiVersion: API_VERSION, kind: 'Shadow', result: worstOf(report.shards), proof, ...report };
  }),
  markdown: (io, report) => io.stdout.write(shadowMarkdown(report)),
  junit: (io, report) => io.stdout.write(shadowJunit(report)),
};
