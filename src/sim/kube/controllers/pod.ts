import { createHash } from 'node:crypto';
import { parseImage } from '../../../base/index.ts';
import { nameHash } from '../ids.ts';
import { type Fields, fieldsAt, type KubeObject, listAt, valueAt } from '../objects.ts';
import { EVENTS, PODS } from '../resources.ts';
import type { ControlContext } from './context.ts';
import { writeStatus } from './write-as.ts';

const KUBELET = 'kubelet';
const NODE = 'sim-node';
const EVENT_HASH_LENGTH = 16;
const PULL_FAILURE = 'rpc error: code = NotFound desc = failed to pull and unpack image: not found';
const NODE_ADDRESS = '192.0.2.1';
/** An image whose tag has this in it cannot be pulled. */
const BROKEN = 'broken';

export function isReady(pod: KubeObject): boolean {
  return (listAt(pod, 'status', 'conditions') as Fields[]).some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );
}

/** A pod gets a node and runs at once, unless an image of it cannot be pulled; pods of jobs are done at once. */
export function reconcilePod(pod: KubeObject, context: ControlContext): void {
  if (valueAt(pod, 'spec', 'nodeName') === undefined) {
    context.store.put(PODS, { ...pod, spec: { ...fieldsAt(pod, 'spec'), nodeName: NODE } });
    return;
  }
  if (valueAt(pod, 'status', 'startTime') !== undefined) return;
  const status = statusOf(pod, context.writes.now());
  writeStatus(PODS, pod, status, context, { manager: KUBELET });
  for (const container of containersOf(pod).filter(isBroken)) tellFailure(pod, container, context);
}

function containersOf(pod: KubeObject): Fields[] {
  return [...listAt(pod, 'spec', 'initContainers'), ...listAt(pod, 'spec', 'containers')] as Fields[];
}

/** The event that `kubectl describe` shows. */
function tellFailure(pod: KubeObject, { name, image }: Fields, { writes }: ControlContext): void {
  const { namespace = '', name: podName, uid, resourceVersion } = pod.metadata;
  const now = writes.now();
  writes.create(
    EVENTS,
    namespace,
    {
      metadata: { name: `${podName}.${nameHash(`${uid}/${String(name)}`, EVENT_HASH_LENGTH)}` },
      involvedObject: {
        kind: 'Pod',
        namespace,
        name: podName,
        uid,
        apiVersion: 'v1',
        resourceVersion,
        fieldPath: `spec.containers{${String(name)}}`,
      },
      reason: 'Failed',
      message: `Failed to pull image "${String(image)}": ${PULL_FAILURE}`,
      source: { component: KUBELET, host: NODE },
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      type: 'Warning',
    },
    { manager: KUBELET, dryRun: false },
  );
}

function isBroken(container: Fields): boolean {
  const image = String(container['image'] ?? '');
  const tag = image.slice(image.lastIndexOf('/') + 1).split(':')[1] ?? '';
  return tag.includes(BROKEN);
}

function statusOf(pod: KubeObject, now: string): Fields {
  const containers = listAt(pod, 'spec', 'containers') as Fields[];
  const inits = listAt(pod, 'spec', 'initContainers') as Fields[];
  const isStuck = [...inits, ...containers].some(isBroken);
  const isDone = !isStuck && (pod.metadata.ownerReferences ?? []).some(({ kind }) => kind === 'Job');
  const { generation: observedGeneration } = pod.metadata;
  const ready = (type: string, isTrue: boolean): Fields => ({
    type,
    observedGeneration,
    status: isTrue ? 'True' : 'False',
    lastProbeTime: null,
    lastTransitionTime: now,
    ...(isTrue ? {} : notReady(isDone, containers)),
  });
  const isRunning = !isStuck && !isDone;
  const ip = podAddress(pod);
  return {
    observedGeneration,
    phase: isStuck ? 'Pending' : isDone ? 'Succeeded' : 'Running',
    conditions: [
      ready('PodReadyToStartContainers', !isDone),
      ready('Initialized', !inits.some(isBroken)),
      ready('Ready', isRunning),
      ready('ContainersReady', isRunning),
      ready('PodScheduled', true),
    ],
    hostIP: NODE_ADDRESS,
    hostIPs: [{ ip: NODE_ADDRESS }],
    podIP: ip,
    podIPs: [{ ip }],
    startTime: now,
    ...(inits.length === 0 ? {} : { initContainerStatuses: inits.map((each) => containerStatus(each, true, now)) }),
    containerStatuses: containers.map((each) => containerStatus(each, isDone, now)),
    qosClass: valueAt(pod, 'status', 'qosClass'),
  };
}

function notReady(isDone: boolean, containers: readonly Fields[]): Fields {
  if (isDone) return { reason: 'PodCompleted' };
  const names = containers.filter(isBroken).map(({ name }) => String(name));
  return { reason: 'ContainersNotReady', message: `containers with unready status: [${names.join(' ')}]` };
}

function containerStatus(container: Fields, isDone: boolean, now: string): Fields {
  const { name, image } = container;
  if (isBroken(container)) {
    const message = `Back-off pulling image "${String(image)}": ErrImagePull: ${PULL_FAILURE}`;
    const waiting = { reason: 'ImagePullBackOff', message };
    return {
      name,
      image,
      imageID: '',
      ready: false,
      started: false,
      restartCount: 0,
      lastState: {},
      state: { waiting },
    };
  }
  const digest = createHash('sha256').update(String(image)).digest('hex');
  const terminated = { exitCode: 0, reason: 'Completed', startedAt: now, finishedAt: now };
  return {
    name,
    image,
    imageID: `${parseImage(String(image)).repository}@sha256:${digest}`,
    containerID: `containerd://${createHash('sha256')
      .update(`${digest}${String(name)}`)
      .digest('hex')}`,
    ready: !isDone,
    started: !isDone,
    restartCount: 0,
    lastState: {},
    state: isDone ? { terminated } : { running: { startedAt: now } },
  };
}

/** The same for the same uid. */
function podAddress({ metadata }: KubeObject): string {
  const [a = 0, b = 0] = createHash('sha256')
    .update(metadata.uid ?? '')
    .digest();
  return `10.244.${a}.${b}`;
}
