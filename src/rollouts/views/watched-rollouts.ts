import { count, defined } from '../../base/index.ts';
import { type Instant, parseInstant, timeText, withRelativeTimes } from '../../gates/index.ts';
import type { Awaited, AwaitedCause, WatchedView } from '../../watch/index.ts';
import type { RolloutsDecision, ScopeTrack } from '../decide/decide-rollouts.ts';
import { type BoardTrack, rolloutBoard } from './board.ts';
import type { BoardShard, BoardShardState } from './board-shard.ts';
import { versionText } from './rollout-view.ts';
import { statusView } from './status-view.ts';

interface WatchOptions {
  readonly which: 'usual' | 'wide';
  readonly now: Instant;
  /** What could not be observed. */
  readonly failures: readonly { readonly message: string; readonly code: string }[];
}

/** What `rollout status --watch` shows of a decision. */
export function watchedRollouts(decision: RolloutsDecision, { which, now, failures }: WatchOptions): WatchedView {
  const { rows, notes } = statusView(decision);
  const errors = failures.map(({ message, code }) => `${message} [${code}]`);
  const isBlind = failures.length > 0 && decision.tracks.every(isUnseen);
  return {
    ...defined({ awaited: awaitedTracks(decision, now), blind: isBlind ? errors[0] : undefined }),
    table: rows.cells(which),
    rows: decision.tracks.flatMap((track) =>
      track.waves.map((wave) => {
        const name = `${track.environment}/${track.track}/${wave.name}`;
        return { key: `${track.upstream} ${name}`, name, isAwaited: goesOn(track) && wave.state !== 'passed' };
      }),
    ),
    notes: [...notes, ...errors.map((text) => `error: ${text}`)],
  };
}

function isUnseen({ waves, unseen }: ScopeTrack): boolean {
  return unseen.length > 0 && unseen.length >= waves.reduce((sum, { shards }) => sum + shards.length, 0);
}

/** One that is halted goes on until its shards are taken back. */
function goesOn({ state, moves, returns }: ScopeTrack): boolean {
  return state === 'under-way' || moves.length + returns.length > 0;
}

/** Shards of tracks that go on by themselves; undefined when there are none. */
export function awaitedTracks(decision: RolloutsDecision, now: Instant): Awaited | undefined {
  const tracks = decision.tracks.filter(goesOn);
  if (tracks.length === 0) return undefined;
  const board = rolloutBoard({ ...decision, tracks, orphans: [] });
  const shards = board.tracks.flatMap(({ waves }) => waves.flatMap((wave) => wave.shards));
  const counted = shards.filter(({ state }) => state !== 'uncounted');
  const open = counted.filter(({ state }) => state !== 'soaked');
  const pinned = shards.length - counted.length;
  return {
    what: `${open.length} of ${count(counted.length, 'shard')} of ${trackNames(tracks)}`,
    causes: open.length === 0 ? waveCauses(board.tracks) : shardCauses(open, now),
    ...(pinned === 0 ? {} : { aside: [{ number: pinned, text: 'pinned or disabled' }] }),
  };
}

const MOST_NAMES = 3;

function trackNames(tracks: readonly ScopeTrack[]): string {
  const names = tracks
    .slice(0, MOST_NAMES)
    .map(({ track, target, state }) =>
      state === 'under-way'
        ? `${track} to soak ${versionText(target)}`
        : `${track} (${state} on ${versionText(target)})`,
    );
  const more = tracks.length > MOST_NAMES ? ` and ${tracks.length - MOST_NAMES} more` : '';
  return `${tracks.length === 1 ? 'track' : 'tracks'} ${names.join(', ')}${more}`;
}

/** Without a shard that counts a wave never passes. */
function waveCauses(tracks: readonly BoardTrack[]): AwaitedCause[] {
  const open = tracks.flatMap(({ waves }) => waves.filter(({ state }) => state !== 'passed'));
  if (open.length === 0) return [];
  const detail = open.find(({ reason }) => reason !== undefined)?.reason;
  return [
    { number: open.length, text: open.length === 1 ? 'wave not passed' : 'waves not passed', ...defined({ detail }) },
  ];
}

const TEXTS: Readonly<Record<Exclude<BoardShardState, 'held' | 'soaked' | 'uncounted'>, string>> = {
  failed: 'failed',
  unknown: 'not observed',
  returning: 'going back',
  moving: 'moved by the next pass of the manager',
  soaking: 'soaking',
};

function shardCauses(open: readonly BoardShard[], now: Instant): AwaitedCause[] {
  const groups = Map.groupBy(open, (shard) => causeOf(shard));
  return [...groups].map(([text, shards]) => ({
    ...{ number: shards.length, text },
    ...defined({ detail: detailOf(shards, now) }),
  }));
}

function causeOf({ state, gates = [] }: BoardShard): string {
  if (state === 'held') return `held by the gate ${gates.find(({ ok }) => !ok)?.gate ?? 'wave'}`;
  return state === 'soaked' || state === 'uncounted' ? state : TEXTS[state];
}

/** When the next of them can move; else why the first has not. */
function detailOf(shards: readonly BoardShard[], now: Instant): string | undefined {
  const [first] = shards;
  if (first?.state === 'moving') return undefined;
  if (first?.state !== 'held') return first && withRelativeTimes(first.reason, now);
  const times = shards.flatMap(({ opening }) => (opening !== undefined && 'at' in opening ? [opening.at] : [])).sort();
  const at = times[0] === undefined ? undefined : parseInstant(times[0]);
  const reason = withRelativeTimes(first.reason, now);
  return at === undefined || at < now ? reason : `${reason}; not before ${timeText(at, now)}`;
}
