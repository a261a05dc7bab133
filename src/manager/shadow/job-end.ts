import { defined, isJson, type Json } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { controllerOf } from '../rollout/pod-details.ts';

/** How the Job of a side ended, and which log tells what it did. */
export interface JobEnd {
  readonly end: 'ended' | 'timed-out' | 'not-started';
  readonly exitCode?: number;
  readonly seconds: number;
  readonly reason?: string;
  /** Absent when no pod is left. */
  readonly log?: { readonly pod: string; readonly container: string };
}

/** Why a container does not start, where waiting does not help. */
const NEVER_STARTS: ReadonlySet<string> = new Set([
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'CreateContainerConfigError',
  'CreateContainerError',
]);

/** How a Job ended by what the cluster shows of it; undefined while it runs. Pure. */
export function jobEnd(job: KubeObject, pods: readonly KubeObject[]): JobEnd | undefined {
  const status = isJson(job['status']) ? job['status'] : {};
  const own = pods.find((pod) => controllerOf(pod)?.uid === String(job.metadata['uid']));
  const failed = condition(status, 'Failed');
  const container = own === undefined ? undefined : firstContainer(own);
  const log =
    own === undefined || container === undefined ? undefined : { pod: own.metadata.name, container: container.name };
  if (failed === undefined && condition(status, 'Complete') === undefined) return stuck(status, own, container);
  const seconds = secondsOf(status, failed);
  if (failed?.['reason'] === 'DeadlineExceeded')
    return { end: 'timed-out', seconds, reason: 'it did not end in time', ...defined({ log }) };
  const exitCode = container?.exitCode;
  if (exitCode === undefined) return { end: 'not-started', seconds, reason: 'its pod is gone', ...defined({ log }) };
  return { end: 'ended', exitCode, seconds, ...defined({ log }) };
}

interface ContainerState {
  readonly name: string;
  readonly exitCode?: number;
  readonly waiting?: string;
}

function stuck(status: Json, pod: KubeObject | undefined, container: ContainerState | undefined): JobEnd | undefined {
  const waiting = [container?.waiting, ...waitingInit(pod)].find((reason) => NEVER_STARTS.has(reason ?? ''));
  return waiting === undefined
    ? undefined
    : { end: 'not-started', seconds: secondsOf(status, undefined), reason: `its container does not start: ${waiting}` };
}

/** The integration's: the only one that a shadow has. */
function firstContainer({ spec, status }: KubeObject): ContainerState | undefined {
  const [declared] = listIn(spec, 'containers');
  if (declared === undefined) return undefined;
  const name = String(declared['name']);
  const state = listIn(status, 'containerStatuses').find((one) => one['name'] === name)?.['state'];
  const ended = isJson(state) && isJson(state['terminated']) ? state['terminated']['exitCode'] : undefined;
  return { name, ...defined({ exitCode: typeof ended === 'number' ? ended : undefined, waiting: waitingIn(state) }) };
}

function waitingInit(pod: KubeObject | undefined): (string | undefined)[] {
  return listIn(pod?.['status'], 'initContainerStatuses').map(({ state }) => waitingIn(state));
}

function waitingIn(state: unknown): string | undefined {
  const waiting = isJson(state) ? state['waiting'] : undefined;
  return isJson(waiting) && typeof waiting['reason'] === 'string' ? waiting['reason'] : undefined;
}

function condition(status: Json, type: string): Json | undefined {
  return listIn(status, 'conditions').find((one) => one['type'] === type && one['status'] === 'True');
}

function secondsOf(status: Json, failed: Json | undefined): number {
  const started = Date.parse(String(status['startTime']));
  const ended = Date.parse(String(status['completionTime'] ?? failed?.['lastTransitionTime']));
  const seconds = (ended - started) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 0;
}

function listIn(object: unknown, key: string): Json[] {
  const list = isJson(object) ? object[key] : undefined;
  return Array.isArray(list) ? list.filter(isJson) : [];
}
