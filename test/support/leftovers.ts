import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setTimeout } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { beforeAll } from 'vitest';

/**
 * Fails the file that leaves something behind: a worker serves many files, and whichever comes next would find it. Vitest
 * runs this before each file, and the cleanup after all hooks of the file.
 */
const children = new Set<ChildProcess>();
const threads = new Set<Worker>();
const addChild = (message: unknown): void => void children.add((message as { process: ChildProcess }).process);
const addThread = (thread: Worker): void => {
  threads.add(thread);
  thread.once('exit', () => threads.delete(thread));
};
subscribe('child_process', addChild);
process.on('worker', addThread);
const before = present();

/** Counts of leftovers for which an earlier file of this worker failed. */
const BLAMED = Symbol.for('echelon.leftovers');
const shared = globalThis as { [BLAMED]?: Map<string, number> };
shared[BLAMED] ??= new Map();
const blamed = shared[BLAMED];

/** How long something may take to end that was told to; only a file that fails waits for it. */
const PATIENCE_MS = 5_000;

beforeAll(() => async () => {
  for (let waited = 0; running().length > 0 && waited < PATIENCE_MS; waited += 10) await setTimeout(10);
  const left = [...changes(), ...running()];
  unsubscribe('child_process', addChild);
  process.off('worker', addThread);
  for (const [kind, count] of counts()) blamed.set(kind, count);
  if (left.length > 0) throw new Error(`this file leaves behind what the next one would find: ${left.join('; ')}`);
});

function changes(): string[] {
  const after = present();
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name} is ${after[name] ?? 'gone'}, was ${before[name] ?? 'not there'}`);
}

function running(): string[] {
  return [
    ...counts()
      .filter(([kind, count]) => count > (blamed.get(kind) ?? 0))
      .map(([kind, count]) => `${count} × ${kind}`),
    ...[...children]
      .filter(({ pid, exitCode, signalCode }) => pid !== undefined && exitCode === null && signalCode === null)
      .map(({ spawnargs }) => `child ${spawnargs.join(' ')}`),
  ];
}

function present(): Record<string, string | undefined> {
  const variables = Object.entries(process.env).map(([name, value]) => [`environment variable ${name}`, value]);
  const events = process.eventNames().map((name) => [`listeners of ${String(name)}`, `${process.listenerCount(name)}`]);
  return Object.fromEntries([['folder', process.cwd()], ...variables, ...events]);
}

/** Timers, servers and threads. Vitest has timers of its own, which fire soon: whatever is there before a file says nothing. */
function counts(): [string, number][] {
  const active = process.getActiveResourcesInfo();
  const of = (kind: string): number => active.filter((each) => each === kind).length;
  return [
    ['timer', of('Timeout')],
    ['server', of('TCPServerWrap')],
    ['thread', threads.size],
  ];
}
