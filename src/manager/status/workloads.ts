import { isImageDigest, isJson, type Json, parseImage } from '../../base/index.ts';
import { type KubeObject, objectKey } from '../desired/desired-namespace.ts';

/** A container's image: the one in the pod's spec, and the one that the node pulled. */
interface PodImage {
  readonly image: string;
  readonly imageId?: string;
}

interface PodState {
  readonly name: string;
  readonly ready: boolean;
  /** The images of its containers. */
  readonly images: readonly PodImage[];
  /** Of all its containers. */
  readonly restarts: number;
  /** Since when it is not ready, ISO 8601. */
  readonly unreadySince?: string;
  /** `ImagePullBackOff`, `CrashLoopBackOff`, `Pending`. */
  readonly waiting: string;
}

export interface LiveWorkload {
  readonly object: KubeObject;
  readonly wanted: number;
  readonly pods: readonly PodState[];
}

const NO_PODS: LiveWorkload['pods'] = [];

const WORKLOADS: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'CronJob']);

/** Workloads with their pods, matched by owner references only, never by name. */
export function liveWorkloads(objects: readonly KubeObject[]): Map<string, LiveWorkload> {
  const running = objects.filter((object) => object.kind === 'Pod' && !isOver(object));
  const owners = running.length === 0 ? [] : objects;
  const byUid = new Map(owners.map((object) => [String(object.metadata['uid']), object]));
  const pods = Map.groupBy(running, (pod) => ownerUid(pod, byUid));
  const workloads = new Map<string, LiveWorkload>();
  for (const object of objects) {
    if (!WORKLOADS.has(object.kind)) continue;
    const own = pods.size === 0 ? undefined : pods.get(String(object.metadata['uid']));
    workloads.set(objectKey(object), { object, wanted: wantedOf(object), pods: own?.map(podState) ?? NO_PODS });
  }
  return workloads;
}

/** A pod that finished or was evicted still exists, but runs nothing. */
function isOver({ metadata, status }: KubeObject): boolean {
  const phase = isJson(status) ? status['phase'] : undefined;
  return metadata['deletionTimestamp'] !== undefined || phase === 'Succeeded' || phase === 'Failed';
}

/** Follows owner references from a pod through its replica set or job to the workload. */
function ownerUid(object: KubeObject, byUid: ReadonlyMap<string, KubeObject>): string | undefined {
  let current: KubeObject | undefined = object;
  for (let depth = 0; current !== undefined && depth < 4; depth += 1) {
    if (WORKLOADS.has(current.kind)) return String(current.metadata['uid']);
    const owners: unknown = current.metadata['ownerReferences'];
    const owner: unknown = Array.isArray(owners)
      ? owners.find((one) => isJson(one) && one['controller'] === true)
      : undefined;
    current = isJson(owner) ? byUid.get(String(owner['uid'])) : undefined;
  }
  return undefined;
}

function wantedOf(object: KubeObject): number {
  if (object.kind === 'CronJob') return 0;
  return Number(specOf(object)['replicas'] ?? 1);
}

function podState(pod: KubeObject): PodState {
  const status = isJson(pod['status']) ? pod['status'] : {};
  const conditions = listOf(status['conditions']);
  const readiness = conditions.find(({ type }) => type === 'Ready');
  const isReady = readiness?.['status'] === 'True';
  const containers = listOf(status['containerStatuses']);
  const specified = listOf(specOf(pod)['containers']);
  return {
    name: pod.metadata.name,
    ready: isReady,
    ...(isReady ? {} : unreadySince(pod, readiness)),
    images: specified.map((container) => {
      const seen = containers.find((one) => one['name'] === container['name']);
      const id = seen?.['imageID'];
      return {
        image: String(container['image'] ?? ''),
        ...(typeof id === 'string' && id !== '' ? { imageId: id } : {}),
      };
    }),
    restarts: containers.reduce((sum, { restartCount }) => sum + Number(restartCount ?? 0), 0),
    waiting: waitingOf(containers) ?? String(status['phase'] ?? 'Pending'),
  };
}

/** A pod that was never ready is not ready since it was created. */
function unreadySince({ metadata }: KubeObject, readiness: Json | undefined): Pick<PodState, 'unreadySince'> {
  const at = readiness?.['lastTransitionTime'] ?? metadata['creationTimestamp'];
  return typeof at === 'string' ? { unreadySince: at } : {};
}

function waitingOf(containers: readonly Json[]): string | undefined {
  for (const { state } of containers) {
    const waiting = isJson(state) ? state['waiting'] : undefined;
    if (isJson(waiting) && typeof waiting['reason'] === 'string') return waiting['reason'];
  }
  return undefined;
}

/** A digest is exact and takes precedence over the tag; without one the references must be equal. */
export function imageMatches(expected: string | undefined, { image, imageId }: PodImage): boolean {
  if (expected === undefined) return true;
  const wanted = digestOf(expected);
  if (wanted === undefined) return image === expected;
  return wanted === digestOf(image) || wanted === digestOf(imageId ?? '');
}

function digestOf(image: string): string | undefined {
  const { digest = '' } = parseImage(image);
  return isImageDigest(digest) ? digest : undefined;
}

function specOf(object: Json): Json {
  return isJson(object['spec']) ? object['spec'] : {};
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isJson) : [];
}
