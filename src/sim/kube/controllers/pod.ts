import { createHash } from 'node:crypto';
import { type Fields, fieldsAt, type KubeObject, listAt, valueAt } from '../objects.ts';
import { PODS } from '../resources.ts';
import type { ControlContext } from './controllers.ts';
import { writeStatus } from './write-as.ts';

const NODE = 'sim-node';
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
  writeStatus(PODS, pod, statusOf(pod, context.writes.now()), context, { manager: 'kubelet' });
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
    const message = `Back-off pulling image "${String(image)}": ErrImagePull: rpc error: code = NotFound desc = failed to pull and unpack image "${String(image)}": not found`;
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
    imageID: `${String(image)
      .replace(/@.*$/, '')
      .replace(/:[^:/]*$/, '')}@sha256:${digest}`,
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
