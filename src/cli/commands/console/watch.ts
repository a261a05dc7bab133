import { setTimeout as sleepFor } from 'node:timers/promises';
import {
  type ConsoleState,
  type Half,
  type ShardsData,
  sightedNow,
  type UpgradesData,
} from '../../../console/index.ts';
import { instantOf } from '../../../upgrades/index.ts';
import { type LookAt, lookedAgain } from './looks.ts';

export interface WatchOptions {
  readonly upgrades: LookAt<UpgradesData>;
  readonly shards: LookAt<ShardsData>;
  readonly refreshSeconds: number;
  readonly clock: { now(): Date };
  readonly signal: AbortSignal;
  /** Told when a half begins to fail, and when it works again. */
  readonly onChange: (half: 'clusters' | 'shards', failed: string | undefined) => void;
}

export interface Watch {
  /** What the last looks saw. */
  state(): ConsoleState;
  /** Looks now, and then again and again, until the signal. One look at a time. */
  run(): Promise<void>;
}

export function createWatch(options: WatchOptions): Watch {
  const { clock, signal, refreshSeconds } = options;
  const now = (): Date => clock.now();
  let state: ConsoleState = {
    startedAt: instantOf(now().getTime()),
    refreshSeconds,
    upgrades: { kind: 'waiting' },
    shards: { kind: 'waiting' },
    sighted: new Map(),
  };
  const lookAtUpgrades = async (): Promise<void> => {
    const before = state.upgrades;
    const upgrades = await lookedAgain(before, options.upgrades, { now, signal, onEarly: showUpgrades });
    showUpgrades(upgrades);
    tell('clusters', before, upgrades);
  };
  const showUpgrades = (upgrades: Half<UpgradesData>): void => {
    const isNew = upgrades.kind === 'known' && upgrades.error === undefined;
    const sighted = isNew ? sightedNow(state.sighted, upgrades.data.clusters, upgrades.asOf) : state.sighted;
    state = { ...state, upgrades, sighted };
  };
  const lookAtShards = async (): Promise<void> => {
    const before = state.shards;
    const shards = await lookedAgain(before, options.shards, { now, signal });
    state = { ...state, shards };
    tell('shards', before, shards);
  };
  const tell = (half: 'clusters' | 'shards', before: Half<unknown>, after: Half<unknown>): void => {
    if (errorIn(before) !== errorIn(after)) options.onChange(half, errorIn(after));
  };
  return {
    state: () => state,
    run: async () => {
      while (!signal.aborted) {
        try {
          await Promise.all([lookAtUpgrades(), lookAtShards()]);
          await sleepFor(refreshSeconds * 1_000, undefined, { signal });
        } catch (thrown) {
          if (!signal.aborted) throw thrown;
        }
      }
    },
  };
}

function errorIn(half: Half<unknown>): string | undefined {
  if (half.kind !== 'known' && half.kind !== 'failed') return undefined;
  return half.error === undefined ? undefined : `${half.error.message} [${half.error.code}]`;
}
