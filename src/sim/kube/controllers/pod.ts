import { createHash } from 'node:crypto';
import { nameHash } from '../ids.ts';
import { type Fields, fieldsAt, type KubeObject, listAt, valueAt } from '../objects.ts';
import { EVENTS, PODS } from '../resources.ts';
import {
  type ContainerState,
  containerState,
  containerStatus,
  isUnpullable,
  type Occasion,
  pullFailure,
} from './container-status.ts';
import type { ControlContext } from './context.ts';
import { writeStatus } from './write-as.ts';

const KUBELET = 'kubelet';
const NODE = 'sim-node';
const EVENT_HASH_LENGTH = 16;
const NODE_ADDRESS = '192.0.2.1';

export function isReady(pod: KubeObject): boolean {
  return (listAt(pod, 'status', 'conditions') as Fields[]).some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );
}

/**
 * A pod gets a node and runs at once, unless an image of it cannot be pulled; pods of jobs are done at once. Those of bad images
 * do as their images do, as time goes on.
 */
export function reconcilePod(pod: KubeObject, context: ControlContext): void {
  if (valueAt(pod, 'spec', 'nodeName') === undefined) {
    context.store.put(PODS, { ...pod, spec: { ...fieldsAt(pod, 'spec'), nodeName: NODE } });
    return;
  }
  const isStarted = valueAt(pod, 'status', 'startTime') !== undefined;
  if (isStarted && !changesWithTime(pod, context)) return;
  writeStatus(PODS, pod, statusOf(pod, context), context, { manager: KUBELET });
  if (isStarted) return;
  for (const container of containersOf(pod).filter(isUnpullable)) tellFailure(pod, container, context);
}

/** Whether a container of it is of a bad image. */
export function changesWithTime(pod: KubeObject, { badImageOf }: Pick<ControlContext, 'badImageOf'>): boolean {
  return (listAt(pod, 'spec', 'containers') as Fields[]).some(({ image }) => badImageOf(String(image)) !== undefined);
}

function containersOf(pod: KubeObject): Fields[] {
  return [...listAt(pod, 'spec', 'initContainers'), ...listAt(pod, 'spec', 'containers')] as Fields[];
}

/** The event that `kubectl describe` shows. */
function tellFailure(pod: KubeObject, container: Fields, { writes }: ControlContext): void {
  const { namespace = '', name: podName, uid, resourceVersion } = pod.metadata;
  const name = String(container['name']);
  const now = writes.now();
  writes.create(
    EVENTS,
    namespace,
    {
      metadata: { name: `${podName}.${nameHash(`${uid}/${name}`, EVENT_HASH_LENGTH)}` },
      involvedObject: {
        kind: 'Pod',
        namespace,
        name: podName,
        uid,
        apiVersion: 'v1',
        resourceVersion,
        fieldPath: `spec.containers{${name}}`,
      },
      reason: 'Failed',
      message: pullFailure(container),
      source: { component: KUBELET, host: NODE },
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      type: 'Warning',
    },
    { manager: KUBELET, dryRun: false },
  );
}

function statusOf(pod: KubeObject, { writes, badImageOf }: ControlContext): Fields {
  const now = writes.now();
  const startTime = String(valueAt(pod, 'status', 'startTime') ?? now);
  const ofJob = (pod.metadata.ownerReferences ?? []).some(({ kind }) => kind === 'Job');
  const occasion: Occasion = { startedAt: new Date(startTime), now: new Date(now), finishes: ofJob, badImageOf };
  const containers = listAt(pod, 'spec', 'containers') as Fields[];
  const inits = listAt(pod, 'spec', 'initContainers') as Fields[];
  // Bad images are those of containers: an init container that can be pulled is done.
  const initially: Occasion = { ...occasion, finishes: true, badImageOf: () => undefined };
  const states = containers.map((each) => containerState(each, occasion));
  const unready = containers.filter((_, at) => states[at] !== 'ready').map(({ name }) => String(name));
  const isStuck = inits.some(isUnpullable);
  const phase = phaseOf(states, isStuck || containers.some(isUnpullable));
  const isRunning = phase === 'Running' && unready.length === 0;
  const isDone = phase === 'Succeeded' || phase === 'Failed';
  const ip = podAddress(pod);
  const { generation: observedGeneration } = pod.metadata;
  const ready = (type: string, isTrue: boolean): Fields => ({
    type,
    observedGeneration,
    status: isTrue ? 'True' : 'False',
    lastProbeTime: null,
    lastTransitionTime: since(pod, type, isTrue) ?? now,
    ...(isTrue ? {} : notReady(phase, unready)),
  });
  return {
    observedGeneration,
    phase,
    conditions: [
      ready('PodReadyToStartContainers', !isDone),
      ready('Initialized', !isStuck),
      ready('Ready', isRunning),
      ready('ContainersReady', isRunning),
      ready('PodScheduled', true),
    ],
    hostIP: NODE_ADDRESS,
    hostIPs: [{ ip: NODE_ADDRESS }],
    podIP: ip,
    podIPs: [{ ip }],
    startTime,
    ...(inits.length === 0 ? {} : { initContainerStatuses: inits.map((each) => containerStatus(each, initially)) }),
    containerStatuses: containers.map((each) => containerStatus(each, occasion)),
    qosClass: valueAt(pod, 'status', 'qosClass'),
  };
}

function phaseOf(states: readonly ContainerState[], isStuck: boolean): string {
  if (isStuck) return 'Pending';
  if (states.every((state) => state === 'done')) return 'Succeeded';
  const isOver = states.every((state) => state === 'done' || state === 'failed');
  return isOver ? 'Failed' : 'Running';
}

/** When a condition got the status that it has. */
function since(pod: KubeObject, type: string, isTrue: boolean): unknown {
  const before = (listAt(pod, 'status', 'conditions') as Fields[]).find((one) => one['type'] === type);
  return before?.['status'] === (isTrue ? 'True' : 'False') ? before['lastTransitionTime'] : undefined;
}

function notReady(phase: string, unready: readonly string[]): Fields {
  if (phase === 'Succeeded') return { reason: 'PodCompleted' };
  if (phase === 'Failed') return { reason: 'PodFailed' };
  return { reason: 'ContainersNotReady', message: `containers with unready status: [${unready.join(' ')}]` };
}

/** The same for the same uid. */
function podAddress({ metadata }: KubeObject): string {
  const [a = 0, b = 0] = createHash('sha256')
    .update(metadata.uid ?? '')
    .digest();
  return `10.244.${a}.${b}`;
}
