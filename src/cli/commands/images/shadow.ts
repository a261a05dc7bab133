import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { count, defined, EchelonError, messageOf, sha256Of } from '../../../base/index.ts';
import { copiedData, makeFolder, withScratch } from '../../../clients/files/index.ts';
import { freePort, isRunning, ownIdentity } from '../../../clients/process/index.ts';
import { type Instant, instantOf } from '../../../gates/index.ts';
import {
  type Instance,
  type ManagerFile,
  managerFileOf,
  readInstance,
  revisionKey,
  type Snapshot,
} from '../../../instance/index.ts';
import { jobRunner, type Manager, placeFailureText, recordShadows, runningImages } from '../../../manager/index.ts';
import { type RunnerFlags, requireCommand } from '../../../promotion/index.ts';
import type { RolloutRecords } from '../../../rollouts/index.ts';
import { systemClock } from '../../../runtime/index.ts';
import {
  openShadow,
  type ShadowPorts,
  type ShadowReport,
  type ShadowRequest,
  type ShadowRun,
  type ShadowRunner,
  shadowJunit,
  shadowMarkdown,
  shadowProof,
  shadowText,
  worstOf,
} from '../../../shadow/index.ts';
import { type InstanceFlags, instanceSource, readCapabilities } from '../../instance.ts';
import { EXIT, type Io } from '../../io.ts';
import { API_VERSION, documentWriters, type Format, type Writers, writerFor } from '../../output/formats.ts';
import { line, paintFor, penFor } from '../../output/terminal.ts';
import { programRunner } from '../../program-runner.ts';
import { type ClusterFlags, openClusters } from '../manager/clusters.ts';
import type { FleetFlags } from '../manager/flags.ts';
import { withManager } from '../manager/open.ts';
import { recordsOf } from '../manager/rollout-record.ts';

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

/** One revision of the data, which does not change while runs read it. */
interface PinnedData {
  readonly instance: Instance;
  /** For runs: a folder, a bundle file, or the address of one bundle. */
  readonly place: string;
  readonly isLocal: boolean;
  readonly changed: () => Promise<string | undefined>;
  /** An empty folder, removed at the end. */
  readonly scratch: string;
}

/** Copies a folder or a bundle; of a server, addresses the bundle that was read by its sha. */
async function withPinnedData<T>(io: Io, flags: InstanceFlags, use: (data: PinnedData) => Promise<T>): Promise<T> {
  const source = await instanceSource(io, flags);
  const read = await source.load({ signal: io.signal });
  return withScratch('shadow', async (scratch) => {
    const pinned = (snapshot: Snapshot, place: string) => ({ instance: readInstance(snapshot), place, scratch });
    if (read.kind === 'server') {
      const place = `${read.origin.replace(/\/+(?:graphql)?\/*$/, '')}/graphqlsha/${read.revision.sha256}`;
      const changed = async (): Promise<string | undefined> => {
        const now = await source.currentRevision();
        return now === revisionKey(read.revision)
          ? undefined
          : 'the server has another bundle than when the runs began';
      };
      return use({ ...pinned(read, place), isLocal: false, changed });
    }
    const place = copiedData(read.kind, resolve(io.cwd, read.origin), scratch);
    const copy = await (await instanceSource(io, { data: place })).load({ signal: io.signal });
    const snapshot = copy.revision.sha256 === read.revision.sha256 ? { ...copy, revision: read.revision } : copy;
    return use({ ...pinned(snapshot, place), isLocal: true, changed: async () => undefined });
  });
}

/** Finds the image that each shard runs in its cluster, or the declared one where the cluster cannot be read. */
function runningPort(io: Io, flags: FleetFlags, instance: Instance): ShadowPorts['runningImages'] {
  return (integration) =>
    withManager(io, { ...flags, integration: [integration] }, { readOnly: true, instance }, ({ during }) =>
      during(imagesOf),
    );
}

async function imagesOf(manager: Manager) {
  try {
    const { shards, rendered, failures } = await manager.status();
    const why = failures.map(placeFailureText)[0] ?? 'the cluster has no such workload';
    return runningImages(shards, rendered.namespaces, why);
  } catch (thrown) {
    if (!(thrown instanceof EchelonError)) throw thrown;
    const { rendered } = await manager.desired();
    return runningImages([], rendered.namespaces, thrown.message);
  }
}

/** Runs Jobs in the namespaces of the shards, with the data that their pods read. */
async function withClusterRunner<T>(
  io: Io,
  flags: ClusterFlags & { readonly logDir: string },
  { instance }: PinnedData,
  request: string,
  use: (runner: ShadowRunner) => Promise<T>,
): Promise<T> {
  const access = [...instance.clusters, ...instance.namespaces.map(({ cluster }) => cluster)];
  const clusters = await openClusters(io, flags, access, { readOnly: false });
  const host = hostname();
  const owner = sha256Of(JSON.stringify(['command', host, io.env['USER'], instance.settings?.repoUrl])).slice(0, 20);
  const runner = jobRunner({
    ...{ connect: clusters.connect, owner, request, process: `${host}/${process.pid}` },
    hasEnded: (text) =>
      text.startsWith(`${host}/`) &&
      isRunning({ ...ownIdentity(), pid: Number(text.slice(host.length + 1)), start: '0' }) === false,
    now: () => systemClock.now().getTime(),
    sleep: (milliseconds, signal) => sleepFor(milliseconds, undefined, { signal }),
  });
  try {
    return await use({
      start: async (run, options) => {
        const ended = await runner.start(run, options);
        const log = join(flags.logDir, `${run.name}.txt`);
        writeFileSync(resolve(io.cwd, log), ended.output, { mode: 0o600 });
        return { ...ended, log };
      },
    });
  } finally {
    clusters.close();
  }
}

/** Where a container finds the data. */
const MOUNT = '/echelon';

/** Runs containers or processes on this machine, each with a folder, a port and a log of its own. */
export function localRunner(
  io: Io,
  flags: RunnerFlags & { readonly logDir: string },
  { place, isLocal, scratch, instance }: Omit<PinnedData, 'changed'>,
): ShadowRunner {
  const runner = programRunner(io, flags, true);
  const data = { ECHELON_DATA: place, ECHELON_DATA_SHA256: instance.snapshot.revision.sha256 };
  const mounted = isLocal ? `${MOUNT}/${basename(place)}` : place;
  const container = {
    variables: { ...data, ECHELON_DATA: mounted },
    args: isLocal ? ['--volume', `${place}:${mounted}:ro,z`] : [],
  };
  return {
    start: async (run, options) => {
      const log = join(flags.logDir, `${run.name}.txt`);
      try {
        const cwd = ownFolder(scratch, run);
        const variables = { ...run.variables, PROMETHEUS_PORT: String(await freePort()) };
        const local = { variables: { ...data, TMPDIR: cwd }, cwd };
        const { tail: _, ...ended } = await runner.start({ ...run, variables, local, container }, { log, ...options });
        const { text, truncated } = read(resolve(io.cwd, log));
        return { ...ended, output: text, log, ...defined({ truncated }) };
      } catch (thrown) {
        if (!(thrown instanceof EchelonError)) throw thrown;
        return { end: 'not-started', output: '', seconds: 0, reason: runner.redact(messageOf(thrown)) };
      }
    },
  };
}

function ownFolder(scratch: string, { name }: ShadowRun): string {
  const folder = join(scratch, 'runs', name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** A line or a log that was cut may hide a difference. */
function read(file: string): { readonly text: string; readonly truncated?: true } {
  const text = readFileSync(file, 'utf8');
  return /… (?:line truncated|log truncated at [^\n]+)\n/.test(text) ? { text, truncated: true } : { text };
}
