import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { KubeRequest } from './real-kube-request.ts';

/** Who the kubelet speaks as, apart from the tests' own requests. */
export interface KubeletAccess {
  readonly harness: KubeRequest;
}

export interface FakeKubelet {
  /** Returns when the last pass is over. Throws what the server rejected since, if anything. */
  stop(): Promise<void>;
}

interface Container {
  readonly name: string;
  readonly image: string;
}

interface Pod {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly deletionTimestamp?: string };
  readonly spec: {
    readonly containers: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly restartPolicy?: string;
  };
  readonly status?: { readonly phase?: string; readonly containerStatuses?: readonly unknown[] };
}

const EVERY_MS = 100;
/** The server is away for a while, or the pod is gone or has changed: the next pass sees. */
const PASSING = new Set([404, 409, 429, 503]);

/** Plays the kubelet of all nodes until it is stopped: pods run, or finish if they are to finish, as soon as they are seen. */
export function fakeKubelet(kube: KubeletAccess): FakeKubelet {
  const stopped = new AbortController();
  let fault: unknown;
  const loop = (async () => {
    while (!stopped.signal.aborted) {
      await onePass(kube).catch((error: unknown) => {
        if (!isUnreachable(error)) fault ??= error;
      });
      await pause(EVERY_MS, undefined, { signal: stopped.signal }).catch(() => {});
    }
  })();
  return {
    async stop() {
      stopped.abort();
      await loop;
      if (fault !== undefined) throw fault;
    },
  };
}

/** One look of the kubelet at the pods of a namespace, or of all. An image whose tag contains `broken` never gets ready. */
export async function onePass({ harness }: KubeletAccess, namespace?: string): Promise<void> {
  const scope = namespace === undefined ? '' : `/namespaces/${namespace}`;
  const list = await harness<{ items: Pod[] }>('GET', `/api/v1${scope}/pods?fieldSelector=status.phase%3DPending`);
  if (list.status !== 200 && !PASSING.has(list.status)) throw new Error(`the pods cannot be listed: ${list.status}`);
  for (const pod of list.body.items ?? []) {
    if (pod.metadata.deletionTimestamp === undefined && !isHandled(pod)) await report(harness, pod);
  }
}

/** A broken pod stays pending, and says why only once. */
function isHandled({ status }: Pod): boolean {
  return (status?.containerStatuses ?? []).length > 0;
}

async function report(harness: KubeRequest, pod: Pod): Promise<void> {
  const { name, namespace } = pod.metadata;
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/status`;
  const body = { status: podStatus(pod, `${new Date().toISOString().slice(0, 19)}Z`) };
  const answer = await harness('PATCH', path, body, 'application/merge-patch+json');
  if (answer.status !== 200 && !PASSING.has(answer.status)) {
    throw new Error(`the status of pod ${namespace}/${name} is refused: ${answer.status} ${answer.body.message}`);
  }
}

function podStatus(pod: Pod, now: string): object {
  const finishes = (pod.spec.restartPolicy ?? 'Always') !== 'Always';
  const all = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  const broken = all.some(({ image }) => isBroken(image));
  const ready = !broken && !finishes;
  const condition = (type: string): object => ({ type, status: ready ? 'True' : 'False', lastTransitionTime: now });
  return {
    phase: broken ? 'Pending' : finishes ? 'Succeeded' : 'Running',
    startTime: now,
    conditions: ['ContainersReady', 'Ready'].map(condition),
    initContainerStatuses: (pod.spec.initContainers ?? []).map((one) => containerStatus(one, true, now)),
    containerStatuses: pod.spec.containers.map((one) => containerStatus(one, finishes, now)),
  };
}

function containerStatus({ name, image }: Container, finishes: boolean, now: string): object {
  const digest = createHash('sha256').update(image).digest('hex');
  const common = { name, image, restartCount: 0 };
  const imageID = `${image.replace(/@.*$/, '').replace(/:[^/]*$/, '')}@sha256:${digest}`;
  if (isBroken(image)) {
    const waiting = { reason: 'ImagePullBackOff', message: `Back-off pulling image "${image}"` };
    return { ...common, imageID: '', ready: false, started: false, state: { waiting } };
  }
  if (finishes) {
    const terminated = { exitCode: 0, reason: 'Completed', startedAt: now, finishedAt: now };
    return { ...common, imageID, ready: false, started: false, state: { terminated } };
  }
  return { ...common, imageID, ready: true, started: true, state: { running: { startedAt: now } } };
}

function isBroken(image: string): boolean {
  return (/:([^/:]+)$/.exec(image)?.[1] ?? '').includes('broken');
}

function isUnreachable(error: unknown): boolean {
  return ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '');
}
