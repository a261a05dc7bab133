import { defined, EchelonError } from '../base/index.ts';
import type { Instant } from '../gates/index.ts';
import { awaitedText, type RowChange, rowChanges, type WatchedView, type WatchState } from './view.ts';

export interface WatchPorts<Seen> {
  /** Fails with an EchelonError. */
  observe(): Promise<Seen>;
  viewOf(seen: Seen, now: Instant): WatchedView;
  /** Called after every observation, also one that failed, unless the watch ends before all is well. */
  show(state: WatchState, changes: readonly RowChange[]): void;
  now(): Instant;
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
  /** Ends at once, without an error, when the signal is aborted. */
  sleep(milliseconds: number): Promise<void>;
  readonly signal: AbortSignal;
}

export interface Watched<Seen> {
  /** The last successful observation. */
  readonly seen: Seen;
  readonly view: WatchedView;
  readonly end: 'settled' | 'timed-out' | 'interrupted';
  /** The error of later observations. */
  readonly failure?: string;
}

/** The last successful observation, and the error of later ones. */
interface Latest<Seen> extends Omit<Watched<Seen>, 'end'> {
  readonly at: Instant;
  readonly changes: readonly RowChange[];
}

/**
 * Observes until nothing is waited for, the time is over or the user interrupts. A first observation that fails ends it;
 * one that fails later leaves the last good one in place. Milliseconds; without a timeout there is no limit.
 */
export async function watch<Seen>(
  ports: WatchPorts<Seen>,
  { interval, timeout = Number.POSITIVE_INFINITY }: { readonly interval: number; readonly timeout?: number },
): Promise<Watched<Seen>> {
  const over = ports.elapsed() + timeout;
  let latest = await observed(ports);
  for (;;) {
    const { at: _, changes, ...found } = latest;
    const end = endOf(ports, latest.view, over - interval);
    if (end === undefined || end === 'settled') ports.show(stateOf(ports, latest, interval), changes);
    if (end !== undefined) return { ...found, end };
    await ports.sleep(interval);
    latest = await next(ports, latest);
  }
}

function endOf(
  { signal, elapsed }: Pick<WatchPorts<never>, 'signal' | 'elapsed'>,
  { awaited }: WatchedView,
  lastStart: number,
): Watched<never>['end'] | undefined {
  if (signal.aborted) return 'interrupted';
  if (awaited === undefined) return 'settled';
  return elapsed() > lastStart ? 'timed-out' : undefined;
}

async function observed<Seen>(ports: WatchPorts<Seen>): Promise<Latest<Seen>> {
  const seen = await ports.observe();
  const at = ports.now();
  const view = ports.viewOf(seen, at);
  return { seen, view, at, changes: [], ...defined({ failure: view.blind }) };
}

/** The next observation, or the previous one with the error of this one; the previous one once the user interrupts. */
async function next<Seen>(ports: WatchPorts<Seen>, previous: Latest<Seen>): Promise<Latest<Seen>> {
  if (ports.signal.aborted) return previous;
  try {
    const found = await observed(ports);
    const isWorse = found.failure !== undefined && previous.view.blind === undefined;
    if (isWorse) return { ...previous, changes: [], failure: found.failure };
    return { ...found, changes: rowChanges(previous.view, found.view) };
  } catch (thrown) {
    if (ports.signal.aborted) return previous;
    if (!(thrown instanceof EchelonError)) throw thrown;
    return { ...previous, changes: [], failure: `${thrown.message} [${thrown.code}]` };
  }
}

function stateOf<Seen>({ now }: WatchPorts<Seen>, latest: Latest<Seen>, interval: number): WatchState {
  const { view, at, changes, failure } = latest;
  const keys = new Set(changes.map(({ key }) => key));
  const changed = new Set(view.rows.flatMap(({ key }) => (keys.has(key) ? [key] : [])));
  return { view, observedAt: at, changed, now: now(), interval, ...defined({ failure }) };
}

/** The lines of an observation in a log: one for each change. */
export function watchLines(
  previous: WatchState | undefined,
  current: WatchState,
  changes: readonly RowChange[],
): readonly string[] {
  const text = briefText(current);
  return [
    ...(previous?.failure === current.failure ? [] : [failureText(current)]),
    ...changes.map((change) => change.text),
    ...(text === undefined || text === (previous && briefText(previous)) ? [] : [text]),
  ];
}

function briefText({ view }: WatchState): string | undefined {
  return view.awaited && awaitedText(view.awaited, 'brief');
}

function failureText({ failure }: WatchState): string {
  return failure === undefined ? 'observed again' : `error: ${failure}`;
}

/** The reason why a watch ended while something is waited for; printed below the last observation. */
export function endLines({ view, end, failure }: Omit<Watched<unknown>, 'seen'>): readonly string[] {
  if (end === 'settled' || view.awaited === undefined) return [];
  return [
    ...(failure === undefined || failure === view.blind ? [] : [`error: the last observation failed: ${failure}`]),
    `${end === 'timed-out' ? 'timed out' : 'interrupted'}, still ${awaitedText(view.awaited, 'detailed')}`,
  ];
}
