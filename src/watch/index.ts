export { liveScreen, type ScreenPaint, type ScreenSize } from './screen.ts';
export type { Awaited, AwaitedCause, RowChange, WatchedView, WatchState } from './view.ts';
export { endLines, type Watched, type WatchPorts, watch, watchLines } from './watch.ts';
