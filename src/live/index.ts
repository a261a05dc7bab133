export type { Awaited, AwaitedCause } from './awaited.ts';
export { type WatchPorts, watch } from './watch.ts';
export { requireWatch } from './watch-flags.ts';
export { watchOutput } from './watch-output.ts';
export type { WatchedView } from './watched-view.ts';
