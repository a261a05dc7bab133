import { createHash } from 'node:crypto';
import { defined, parseImage } from '../../../base/index.ts';
import { timeText } from '../normalize.ts';
import type { Fields } from '../objects.ts';
import { type BadImageKind, type CrashLoop, crashLoop, RUN_SECONDS, type Run } from './bad-images.ts';

const PULL_FAILURE = 'rpc error: code = NotFound desc = failed to pull and unpack image: not found';
/** An image whose tag has this in it cannot be pulled. */
const BROKEN = 'broken';

/** When a container runs, and for what. */
export interface Occasion {
  readonly startedAt: Date;
  readonly now: Date;
  /** Whether it ends by itself: an init container, or one of a job. */
  readonly finishes: boolean;
  readonly badImageOf: (image: string) => BadImageKind | undefined;
}

/** What a kubelet makes of one container. */
export type ContainerState = 'waits' | 'runs' | 'ready' | 'done' | 'failed';

export function isUnpullable({ image }: Fields): boolean {
  const text = String(image ?? '');
  return (text.slice(text.lastIndexOf('/') + 1).split(':')[1] ?? '').includes(BROKEN);
}

export function pullFailure({ image }: Fields): string {
  return `Failed to pull image "${String(image)}": ${PULL_FAILURE}`;
}

export function containerState(container: Fields, occasion: Occasion): ContainerState {
  if (isUnpullable(container)) return 'waits';
  const { finishes, badImageOf } = occasion;
  const kind = badImageOf(String(container['image']));
  if (kind === undefined) return finishes ? 'done' : 'ready';
  if (kind === 'never-ready') return 'runs';
  const { running } = loopOf(kind, occasion);
  if (finishes) return running === undefined ? 'failed' : 'runs';
  return running === undefined ? 'waits' : 'ready';
}

/** The container of a job is not started again: the job starts another pod. */
function loopOf(kind: Exclude<BadImageKind, 'never-ready'>, { startedAt, now, finishes }: Occasion): CrashLoop {
  const [age, run] = [(now.getTime() - startedAt.getTime()) / 1000, RUN_SECONDS[kind]];
  if (!finishes) return crashLoop(run, age);
  const only = { startedAt: 0, finishedAt: run };
  return { restarts: 0, ...(age < run ? { running: only } : { ended: only }) };
}

/** Its entry of `containerStatuses`. */
export function containerStatus(container: Fields, occasion: Occasion): Fields {
  const { name, image } = container;
  if (isUnpullable(container)) {
    const message = `Back-off pulling image "${String(image)}": ErrImagePull: ${PULL_FAILURE}`;
    const waiting = { waiting: { reason: 'ImagePullBackOff', message } };
    return { name, image, imageID: '', ...ended, restartCount: 0, lastState: {}, state: waiting };
  }
  const kind = occasion.badImageOf(String(image));
  const state = containerState(container, occasion);
  const pulled = { name, image, ...identity(container) };
  if (kind === 'crash' || kind === 'crash-later') return { ...pulled, ...crashing(loopOf(kind, occasion), occasion) };
  const startedAt = timeText(occasion.startedAt, 'time');
  const terminated = { exitCode: 0, reason: 'Completed', startedAt, finishedAt: startedAt };
  return {
    ...pulled,
    ready: state === 'ready',
    started: state !== 'done',
    restartCount: 0,
    lastState: {},
    state: state === 'done' ? { terminated } : { running: { startedAt } },
  };
}

const ended = { ready: false, started: false };

function identity({ name, image }: Fields): Fields {
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
  const digest = hash(String(image));
  return {
    imageID: `${parseImage(String(image)).repository}@sha256:${digest}`,
    containerID: `containerd://${hash(`${digest}${String(name)}`)}`,
  };
}

function crashing({ restarts, running, ended: last }: CrashLoop, { startedAt, finishes }: Occasion): Fields {
  const at = (seconds: number): string => timeText(new Date(startedAt.getTime() + seconds * 1000), 'time');
  const terminated = (run: Run): Fields => ({
    terminated: { exitCode: 1, reason: 'Error', startedAt: at(run.startedAt), finishedAt: at(run.finishedAt) },
  });
  const lastState = last === undefined ? {} : terminated(last);
  if (running !== undefined) {
    const state = { running: { startedAt: at(running.startedAt) } };
    return { ready: !finishes, started: true, restartCount: restarts, lastState, state };
  }
  if (finishes) return { ...ended, restartCount: 0, lastState: {}, ...defined({ state: last && terminated(last) }) };
  const waiting = { reason: 'CrashLoopBackOff', message: 'back-off restarting failed container' };
  return { ...ended, restartCount: restarts, lastState, state: { waiting } };
}
