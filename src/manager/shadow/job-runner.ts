import { defined, EchelonError, isJson, redactShapes, Secrets, secretValues, sha256Of } from '../../base/index.ts';
import { instantOf } from '../../gates/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { KINDS } from '../plan/plan-item.ts';
import { type JobEnd, jobEnd } from './job-end.ts';
import { leftJobs } from './left-jobs.ts';
import { MOST_LOG_BYTES, type ShadowCluster } from './shadow-cluster.ts';
import { type JobSide, SHADOW_LABEL, shadowSelector } from './shadow-labels.ts';

/** One dry run that is to happen in the cluster of its shard. */
export interface JobRequest {
  readonly integration: string;
  readonly shard: {
    readonly cluster: string;
    readonly namespace: string;
    readonly name: string;
    readonly kind: string;
    readonly object: string;
  };
  readonly side: JobSide;
  readonly image: string;
  /** Unique among the runs of a request. */
  readonly name: string;
}

/** What a Job printed and how it ended; one that failed is a value, too. */
export interface JobOutput extends Pick<JobEnd, 'exitCode' | 'seconds' | 'reason'> {
  readonly end: JobEnd['end'] | 'interrupted';
  readonly output: string;
  readonly truncated?: boolean;
}

export interface JobRunnerPorts {
  readonly connect: (cluster: string) => Promise<ShadowCluster>;
  /** A label value: Jobs of the same owner whose process has ended are removed. */
  readonly owner: string;
  /** This process, as `hasEnded` takes it. */
  readonly process: string;
  readonly hasEnded: (process: string) => boolean;
  /** Differs from that of any other request. */
  readonly request: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export interface JobRunner {
  start(run: JobRequest, options: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<JobOutput>;
}

const POLL_MS = 1_000;
/** How much longer than its deadline a Job is waited for: the controller may be slow. */
const GRACE_MS = 60_000;

/** Runs shards as Jobs in their own namespaces, and removes the Jobs. */
export function jobRunner(ports: JobRunnerPorts): JobRunner {
  const namespaces = new Map<string, Promise<readonly KubeObject[]>>();
  const objectsIn = (
    api: ShadowCluster,
    { shard }: JobRequest,
    signal: AbortSignal,
  ): Promise<readonly KubeObject[]> => {
    const key = JSON.stringify([shard.cluster, shard.namespace]);
    const known = namespaces.get(key) ?? prepared(api, shard.namespace, ports, signal);
    namespaces.set(key, known);
    return known;
  };
  return {
    start: async (run, { timeoutMs, signal }) => {
      try {
        const api = await ports.connect(run.shard.cluster);
        const objects = await objectsIn(api, run, signal);
        const job = await jobOf(run, objects, ports, timeoutMs);
        return await whileItExists(api, job, () => outputOf(api, job, { ports, timeoutMs, signal }));
      } catch (thrown) {
        if (signal.aborted) return { end: 'interrupted', output: '', seconds: 0 };
        if (!(thrown instanceof EchelonError)) throw thrown;
        return { end: 'not-started', output: '', seconds: 0, reason: thrown.message };
      }
    },
  };
}

/** Removes what an earlier process left, and lists what the Jobs must not be selected by. */
async function prepared(
  api: ShadowCluster,
  namespace: string,
  { owner, now, hasEnded }: JobRunnerPorts,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const jobs = await api.list('Job', { namespace, labelSelector: shadowSelector(owner), signal });
  for (const job of leftJobs(jobs, { owner, now: now(), hasEnded })) await removed(api, job);
  const lists = await Promise.all(KINDS.map((kind) => api.list(kind, { namespace, signal })));
  return lists.flat();
}

async function jobOf(
  run: JobRequest,
  objects: readonly KubeObject[],
  ports: JobRunnerPorts,
  timeoutMs: number,
): Promise<KubeObject> {
  const { integration, shard, side, image, name } = run;
  const workload = objects.find(({ kind, metadata }) => kind === shard.kind && metadata.name === shard.object);
  if (workload === undefined) {
    throw new EchelonError({
      code: 'SHADOW_NO_WORKLOAD',
      message: `no ${shard.kind} ${shard.object} in ${shard.cluster}/${shard.namespace}`,
      hint: 'apply the shard first, or run it elsewhere with --runner podman',
    });
  }
  const { owner, process, request } = ports;
  // Loads how runs are compared, which no other manager needs.
  const { shadowJob } = await import('./shadow-jobs.ts');
  return shadowJob(
    side,
    { workload, image },
    {
      ...{ run: sha256Of(JSON.stringify([request, name])).slice(0, 12), owner, process },
      ...{ integration, shard: shard.name, namespace: shard.namespace, at: instantOf(ports.now()) },
      deadlineSeconds: Math.max(1, Math.ceil(timeoutMs / 1_000)),
    },
    objects,
  );
}

async function whileItExists<T>(api: ShadowCluster, job: KubeObject, act: () => Promise<T>): Promise<T> {
  try {
    // Not cut short: a Job whose creation was is one that nobody knows of.
    await api.create(job);
    return await act();
  } finally {
    await removed(api, job);
  }
}

interface Waiting {
  readonly ports: JobRunnerPorts;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

async function outputOf(
  api: ShadowCluster,
  job: KubeObject,
  { ports, timeoutMs, signal }: Waiting,
): Promise<JobOutput> {
  const until = ports.now() + timeoutMs + GRACE_MS;
  for (;;) {
    signal.throwIfAborted();
    const end = await endOf(api, job, signal);
    if (end !== undefined) return { ...(await printed(api, job, end, { signal })), ...ending(end) };
    if (ports.now() > until) return { end: 'timed-out', output: '', seconds: timeoutMs / 1_000 };
    await ports.sleep(POLL_MS, signal);
  }
}

async function endOf(api: ShadowCluster, job: KubeObject, signal: AbortSignal): Promise<JobEnd | undefined> {
  const { namespace = '', name } = job.metadata;
  const [found] = await api.list('Job', { namespace, name, signal });
  if (found === undefined) return { end: 'not-started', seconds: 0, reason: 'its Job was removed by another' };
  return jobEnd(found, await api.list('Pod', { namespace, labelSelector: podsOf(job), signal }));
}

function ending({ end, exitCode, seconds, reason }: JobEnd): Omit<JobOutput, 'output'> {
  return { end, seconds, ...defined({ exitCode, reason }) };
}

/** The log of an ended Job, without the secrets that its own template names. */
export async function printed(
  api: Pick<ShadowCluster, 'log'>,
  job: KubeObject,
  { log }: JobEnd,
  { signal, once }: { readonly signal: AbortSignal; readonly once?: true },
): Promise<Pick<JobOutput, 'output' | 'truncated'>> {
  const { namespace = '' } = job.metadata;
  const text =
    log === undefined
      ? ''
      : ((await api.log({ namespace, ...log, mostBytes: MOST_LOG_BYTES, ...defined({ once }) }, signal)) ?? '');
  const isCut = Buffer.byteLength(text) >= MOST_LOG_BYTES;
  const output = redactShapes(secretsIn(job).redact(isCut ? `${text}…` : text));
  return { output, ...(isCut ? { truncated: true } : {}) };
}

function secretsIn({ spec }: KubeObject): Secrets {
  const secrets = new Secrets();
  const pod = isJson(spec) && isJson(spec['template']) ? spec['template']['spec'] : undefined;
  const containers = isJson(pod) && Array.isArray(pod['containers']) ? pod['containers'].filter(isJson) : [];
  for (const { env } of containers) {
    const given = (Array.isArray(env) ? env.filter(isJson) : []).map(({ name, value }) => [String(name), value]);
    const values = Object.fromEntries(given.filter(([, value]) => typeof value === 'string'));
    for (const secret of secretValues(values)) secrets.add(secret);
  }
  return secrets;
}

function podsOf({ metadata }: KubeObject): string {
  const labels = isJson(metadata['labels']) ? metadata['labels'] : {};
  return [SHADOW_LABEL.run, SHADOW_LABEL.side].map((key) => `${key}=${labels[key]}`).join(',');
}

/** The Job ends and goes by itself, so that a removal that fails is no reason to fail. */
async function removed(api: ShadowCluster, { metadata: { namespace = '', name, uid } }: KubeObject): Promise<void> {
  try {
    await api.remove({ kind: 'Job', namespace, name }, typeof uid === 'string' ? { uid } : {});
  } catch (thrown) {
    if (!(thrown instanceof EchelonError)) throw thrown;
  }
}
