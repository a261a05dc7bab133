import { awaitedText } from './awaited.ts';
import type { WatchState } from './live-screen.ts';
import type { RowChange } from './row-changes.ts';
import type { Watched } from './watch.ts';

/** What a log gets of an observation: one line for each change. */
export function watchLines(
  before: WatchState | undefined,
  after: WatchState,
  changes: readonly RowChange[],
): readonly string[] {
  const text = briefText(after);
  return [
    ...(before?.failure === after.failure ? [] : [failureText(after)]),
    ...changes.map((change) => change.text),
    ...(text === undefined || text === (before && briefText(before)) ? [] : [text]),
  ];
}

function briefText({ view }: WatchState): string | undefined {
  return view.awaited && awaitedText(view.awaited, 'brief');
}

function failureText({ failure }: WatchState): string {
  return failure === undefined ? 'observed again' : `error: ${failure}`;
}

/** Why a watch ended although something is waited for: what stays on the screen, beside the last observation. */
export function endLines({ view, end, failure }: Omit<Watched<unknown>, 'seen'>): readonly string[] {
  if (end === 'settled' || view.awaited === undefined) return [];
  return [
    ...(failure === undefined || failure === view.blind ? [] : [`error: the last observation failed: ${failure}`]),
    `${end === 'timed-out' ? 'timed out' : 'interrupted'}, still ${awaitedText(view.awaited, 'detailed')}`,
  ];
}
