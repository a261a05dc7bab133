import { byText } from '../../base/index.ts';
import type { BoardShard, BoardShardState, BoardTrack, BoardWave, RolloutBoard } from '../../rollouts/index.ts';
import type { Tone } from '../clusters/rows.ts';
import { type Columns, foundRows, matches, type Query } from '../query.ts';

export const ROLLOUTS_PATH = '/rollouts';
export const ROLLOUT_FILTERS = ['env', 'track', 'state'] as const;

export const TRACK_TONES: Readonly<Record<BoardTrack['state'], Tone>> = {
  halted: 'bad',
  rejected: 'bad',
  paused: 'wait',
  'under-way': 'wait',
  complete: 'good',
};

export const WAVE_TONES: Readonly<Record<BoardWave['state'], Tone>> = { passed: 'good', open: 'wait', closed: 'idle' };

/** In the order of the cells: what needs a look comes first. */
export const SHARD_TONES: Readonly<Record<BoardShardState, Tone>> = {
  failed: 'bad',
  unknown: 'bad',
  returning: 'bad',
  moving: 'wait',
  soaking: 'wait',
  held: 'idle',
  uncounted: 'idle',
  soaked: 'good',
};

export const TRACK_COLUMNS: Columns<BoardTrack> = {
  filters: {
    env: ({ environment }) => [environment],
    track: ({ track }) => [track],
    state: ({ state }) => [state],
  },
  text: ({ track, environment, version }) => `${track} ${environment} ${version}`,
  sorts: {
    track: (a, b) => byText(a.track, b.track) || byText(a.environment, b.environment),
  },
};

/** Tracks that pass the filters; words of the search leave the shards that have them, or whole tracks. */
export function foundTracks({ tracks }: RolloutBoard, query: Query): BoardTrack[] {
  return foundRows(tracks, { ...query, q: '' }, TRACK_COLUMNS).flatMap((track) => {
    if (query.q === '' || matches(TRACK_COLUMNS.text(track), query.q)) return [track];
    const waves = track.waves.map((wave) => ({ ...wave, shards: wave.shards.filter((one) => isFound(one, query.q)) }));
    return waves.some(({ shards }) => shards.length > 0) ? [{ ...track, waves }] : [];
  });
}

function isFound({ id, state, version, reason }: BoardShard, q: string): boolean {
  return matches(`${id} ${state} ${version ?? ''} ${reason}`, q);
}

/** The permanent URL of a shard's verdict. */
export function verdictPath({ environment, id }: Pick<BoardShard, 'environment' | 'id'>): string {
  return `${ROLLOUTS_PATH}/${encodeURIComponent(environment)}/${encodeURIComponent(id)}`;
}

export function trackHref({ environment, track }: Pick<BoardTrack, 'environment' | 'track'>): string {
  return `${ROLLOUTS_PATH}?${new URLSearchParams({ env: environment, track })}`;
}

/** Cells by state, in the order of `SHARD_TONES`. */
export function cellsByState({
  shards,
}: Pick<BoardWave, 'shards'>): (readonly [BoardShardState, readonly BoardShard[]])[] {
  const groups = Map.groupBy(shards, ({ state }) => state);
  return (Object.keys(SHARD_TONES) as BoardShardState[]).flatMap((state) => {
    const own = groups.get(state);
    return own === undefined ? [] : [[state, own] as const];
  });
}
