import { defined } from '../../../base/index.ts';
import { nameHash } from '../ids.ts';
import { type Fields, type KubeObject, listAt, valueAt } from '../objects.ts';
import { PODS, STATEFUL_SETS } from '../resources.ts';
import type { ControlContext } from './context.ts';
import { createPod } from './create-pod.ts';
import { isReady } from './pod.ts';
import { controlled, removeObject, writeStatus } from './write-as.ts';

const HASH_LABEL = 'controller-revision-hash';
const HASH_LENGTH = 10;

/** Pods with the names of their ordinals, one after the other unless they may come all at once. */
export function reconcileStatefulSet(set: KubeObject, context: ControlContext): void {
  const wanted = Number(valueAt(set, 'spec', 'replicas') ?? 1);
  const first = Number(valueAt(set, 'spec', 'ordinals', 'start') ?? 0);
  const revision = revisionOf(set);
  const pods = new Map(controlled(PODS, set, context).map((pod) => [ordinalOf(pod), pod]));
  step({ set, first, wanted, revision, pods }, context);
  writeSetStatus(set, revision, wanted, context);
}

interface State {
  readonly set: KubeObject;
  readonly first: number;
  readonly wanted: number;
  readonly revision: string;
  readonly pods: ReadonlyMap<number, KubeObject>;
}

/** One change at a time when in order: create the next, remove the last that is too many, renew the last that is old. */
function step({ set, first, wanted, revision, pods }: State, context: ControlContext): void {
  const isParallel = valueAt(set, 'spec', 'podManagementPolicy') === 'Parallel';
  for (let ordinal = first; ordinal < first + wanted; ordinal += 1) {
    const pod = pods.get(ordinal);
    if (pod === undefined) createOrdinal(set, ordinal, revision, context);
    // Also for one of an older revision: a pod that never was ready has to be deleted by hand.
    if (!isParallel && (pod === undefined || !isReady(pod))) return;
  }
  const last = Math.max(...pods.keys(), -1);
  const surplus = last >= first + wanted ? pods.get(last) : undefined;
  if (surplus !== undefined) removeObject(PODS, surplus, context);
  else renew({ set, first, wanted, revision, pods }, context);
}

function renew({ set, first, wanted, revision, pods }: State, context: ControlContext): void {
  if (valueAt(set, 'spec', 'updateStrategy', 'type') === 'OnDelete') return;
  const partition = Number(valueAt(set, 'spec', 'updateStrategy', 'rollingUpdate', 'partition') ?? 0);
  for (let ordinal = first + wanted - 1; ordinal >= first + partition; ordinal -= 1) {
    const pod = pods.get(ordinal);
    if (pod !== undefined && isStale(pod, revision)) removeObject(PODS, pod, context);
    if (pod === undefined || isStale(pod, revision) || !isReady(pod)) return;
  }
}

function isStale(pod: KubeObject | undefined, revision: string): boolean {
  return pod !== undefined && pod.metadata.labels?.[HASH_LABEL] !== revision;
}

function ordinalOf({ metadata }: KubeObject): number {
  return Number(metadata.name.slice(metadata.name.lastIndexOf('-') + 1));
}

function revisionOf(set: KubeObject): string {
  return `${set.metadata.name}-${nameHash(JSON.stringify(valueAt(set, 'spec', 'template')), HASH_LENGTH)}`;
}

function createOrdinal(set: KubeObject, ordinal: number, revision: string, context: ControlContext): void {
  const name = `${set.metadata.name}-${ordinal}`;
  const labels = {
    'apps.kubernetes.io/pod-index': String(ordinal),
    [HASH_LABEL]: revision,
    'statefulset.kubernetes.io/pod-name': name,
  };
  const volumes = [...listAt(set, 'spec', 'template', 'spec', 'volumes'), ...claimedVolumes(set, name)];
  const subdomain = valueAt(set, 'spec', 'serviceName');
  createPod(set, context, { name, labels, spec: { volumes, hostname: name, ...defined({ subdomain }) } });
}

/** Volumes of the claims that each pod has of its own. */
function claimedVolumes(set: KubeObject, pod: string): Fields[] {
  return (listAt(set, 'spec', 'volumeClaimTemplates') as KubeObject[]).map(({ metadata: { name } }) => ({
    name,
    persistentVolumeClaim: { claimName: `${name}-${pod}` },
  }));
}

function writeSetStatus(set: KubeObject, revision: string, wanted: number, context: ControlContext): void {
  const pods = controlled(PODS, set, context);
  const ready = pods.filter(isReady).length;
  const updated = pods.filter((pod) => !isStale(pod, revision)).length;
  const before = valueAt(set, 'status', 'currentRevision');
  const isComplete = updated === wanted && ready === wanted;
  const currentRevision = before === undefined || isComplete ? revision : String(before);
  const status: Fields = {
    observedGeneration: set.metadata.generation,
    replicas: pods.length,
    readyReplicas: ready,
    availableReplicas: ready,
    currentReplicas: pods.filter((pod) => !isStale(pod, currentRevision)).length,
    updatedReplicas: updated,
    currentRevision,
    updateRevision: revision,
    collisionCount: 0,
  };
  writeStatus(STATEFUL_SETS, set, status, context);
}
