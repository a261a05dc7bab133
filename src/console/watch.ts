import { type Instant, instantOf } from '../gates/index.ts';
import { type Fault, faultOf } from '../upgrades/index.ts';
import { agedProblems, shardsView, upgradesView } from './derive.ts';
import { addVersionChanges, type Observe } from './observe.ts';
import {
  type ConsoleState,
  type Observed,
  type ShardLink,
  type ShardsData,
  type ShardsView,
  type UpgradesData,
  type UpgradesView,
  versionText,
} from './state.ts';

interface WatchOptions {
  readonly upgrades: Observe<UpgradesData>;
  readonly shards: Observe<ShardsData>;
  readonly refreshSeconds: number;
  readonly links?: readonly ShardLink[];
  readonly clock: { now(): Date };
  /** Resolves after this time; rejects when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
  /** Called when a half starts to fail, and when it recovers. */
  readonly onChange: (half: 'clusters' | 'shards', failed: string | undefined) => void;
}

interface Watch {
  /** The last observation. */
  state(): ConsoleState;
  /** Names the last observation of this console. */
  current(): string;
  /** Calls the listener when there is another one, until it is called off. */
  subscribe(listener: (current: string) => void): () => void;
  /** Observes now and then periodically, until the signal. One observation at a time. */
  run(): Promise<void>;
}

export function createWatch(options: WatchOptions): Watch {
  const { clock, signal, refreshSeconds, sleep } = options;
  const now = (): Date => clock.now();
  let state: ConsoleState = {
    startedAt: instantOf(now().getTime()),
    version: 0,
    refreshSeconds,
    upgrades: { kind: 'waiting' },
    shards: { kind: 'waiting' },
    versionChanges: new Map(),
    links: options.links ?? [],
    problems: [],
  };
  const listeners = new Set<(current: string) => void>();
  const show = (next: ConsoleState): void => {
    const problems = agedProblems(next, state.problems, instantOf(now().getTime()));
    state = { ...next, version: state.version + 1, problems };
    for (const listener of listeners) listener(versionText(state));
  };
  const observeUpgrades = async (): Promise<void> => {
    const before = state.upgrades;
    const upgrades = await observedAgain(before, derived(options.upgrades, upgradesView), {
      now,
      signal,
      onEarly: showUpgrades,
    });
    showUpgrades(upgrades);
    notify('clusters', before, upgrades);
  };
  const showUpgrades = (upgrades: Observed<UpgradesView>): void => {
    const isNew = upgrades.kind === 'known' && upgrades.error === undefined;
    const versionChanges = isNew
      ? addVersionChanges(state.versionChanges, upgrades.data.clusters, upgrades.asOf)
      : state.versionChanges;
    show({ ...state, upgrades, versionChanges });
  };
  const observeShards = async (): Promise<void> => {
    const before = state.shards;
    const showShards = (shards: Observed<ShardsView>): void => show({ ...state, shards });
    const shards = await observedAgain(before, derived(options.shards, shardsView), {
      now,
      signal,
      onEarly: showShards,
    });
    showShards(shards);
    notify('shards', before, shards);
  };
  const notify = (half: 'clusters' | 'shards', before: Observed<unknown>, after: Observed<unknown>): void => {
    if (errorIn(before) !== errorIn(after)) options.onChange(half, errorIn(after));
  };
  return {
    state: () => state,
    current: () => versionText(state),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    run: async () => {
      while (!signal.aborted) {
        try {
          await Promise.all([observeUpgrades(), observeShards()]);
          await sleep(refreshSeconds * 1_000, signal);
        } catch (thrown) {
          if (!signal.aborted) throw thrown;
        }
      }
    },
  };
}

/** The same observations with what pages derive from them. */
function derived<Data, View>(observe: Observe<Data>, view: (data: Data) => View): Observe<View> {
  return async (signal, early) => {
    const observed = await observe(signal, (data) => early(view(data)));
    return observed.kind === 'absent' ? observed : { kind: 'seen', data: view(observed.data) };
  };
}

function errorIn(half: Observed<unknown>): string | undefined {
  if (half.kind !== 'known' && half.kind !== 'failed') return undefined;
  return half.error === undefined ? undefined : `${half.error.message} [${half.error.code}]`;
}

interface ObservationParts<Data> {
  readonly now: () => Date;
  readonly signal: AbortSignal;
  readonly onEarly?: (half: Observed<Data>) => void;
}

/** A half after another observation. A failed one keeps the data of the last successful one, with the error. */
export async function observedAgain<Data>(
  before: Observed<Data>,
  observe: Observe<Data>,
  { now, signal, onEarly }: ObservationParts<Data>,
): Promise<Observed<Data>> {
  const asOf: Instant = instantOf(now().getTime());
  try {
    const observed = await observe(signal, (data) => onEarly?.({ kind: 'known', asOf, data }));
    return observed.kind === 'absent' ? observed : { kind: 'known', asOf, data: observed.data };
  } catch (thrown) {
    signal.throwIfAborted();
    const error: Fault = faultOf(thrown);
    return before.kind === 'known' ? { ...before, error } : { kind: 'failed', at: asOf, error };
  }
}
