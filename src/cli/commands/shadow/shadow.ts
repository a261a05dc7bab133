import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { defined } from '../../../base/index.ts';
import {
  openShadow,
  type ShadowReport,
  type ShadowRequest,
  shadowJunit,
  shadowMarkdown,
  shadowProof,
  worstOf,
} from '../../../shadow/index.ts';
import { readCapabilities } from '../../capabilities-option.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { API_VERSION, type Format } from '../../output/format.ts';
import { line } from '../../output/terminal.ts';
import { documentWriters, type Writers, writerFor } from '../../output/writers.ts';
import { type RunnerFlags, requireCommand } from '../../program-runner.ts';
import { makeFolder } from '../../writable-folder.ts';
import type { FleetFlags } from '../manager/flags.ts';
import { localRunner } from './local-runner.ts';
import { withPinnedData } from './pinned-data.ts';
import { printShadow } from './print-shadow.ts';
import { runningPort } from './running.ts';

export type ShadowFormat = Exclude<Format, 'name'> | 'junit';

export interface ShadowFlags
  extends Omit<FleetFlags, 'output'>,
    RunnerFlags,
    Pick<ShadowRequest, 'candidate' | 'baseline' | 'repeat' | 'jobs' | 'timeout'> {
  readonly output: ShadowFormat;
  readonly shard?: readonly string[];
  readonly logDir: string;
}

const EXIT_OF = { same: EXIT.ok, noise: EXIT.ok, different: EXIT.failed, inconclusive: EXIT.notCompared } as const;

/** Compares what two images would do; exits 0 for the same, 1 for a difference, 2 where that is not known. */
export async function shadow(io: Io, integration: string, flags: ShadowFlags): Promise<number> {
  const write = writerFor(WRITERS, flags.output, 'shadow');
  requireCommand(flags);
  makeFolder(resolve(io.cwd, flags.logDir), '--log-dir');
  const capabilities = readCapabilities(io, flags.capabilities);
  const report = await withPinnedData(io, flags, (data) => {
    const settings = { id: randomBytes(4).toString('hex'), ...defined({ capabilities }) };
    const ports = {
      instance: data.instance,
      dataChanged: data.changed,
      runningImages: runningPort(io, { ...flags, output: 'table' }, data.instance),
      runner: localRunner(io, flags, data),
      signal: io.signal,
    };
    return openShadow(settings, ports).compare(requestOf(io, integration, flags));
  });
  await write(io, report, paintFor(io.stdout, io.env, flags.color));
  return EXIT_OF[worstOf(report.shards)];
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
  table: (io, report, paint) => printShadow(io, report, paint, false),
  wide: (io, report, paint) => printShadow(io, report, paint, true),
  ...documentWriters((report: ShadowReport) => {
    const proof = shadowProof(report);
    return { apiVersion: API_VERSION, kind: 'Shadow', result: worstOf(report.shards), proof, ...report };
  }),
  markdown: (io, report) => io.stdout.write(shadowMarkdown(report)),
  junit: (io, report) => io.stdout.write(shadowJunit(report)),
};
