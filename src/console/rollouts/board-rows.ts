import { byText } from '../../base/index.ts';
import type { BoardShard, BoardShardState, BoardTrack, BoardWave, RolloutBoard } from '../../rollouts/index.ts';
import type { Tone } from '../clusters/rows.ts';
import { type Columns, foundRows, matches, type Query } from '../query.ts';

export const ROLLOUTS_PATH = '/rollouts';
export const ROLLOUT_FILTERS = ['env', 'track', 'state', 'wave', 'cell'] as const;

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

/** For shards that no wave selects. */
const NO_WAVE = 'no wave';

export function waveName({ name = NO_WAVE }: Pick<BoardWave, 'name'>): string {
  return name;
}

/** Tracks that pass the filters. A wave, a state of shards and words of the search leave the shards that have them. */
export function foundTracks({ tracks }: RolloutBoard, query: Query): BoardTrack[] {
  const waves = query.filters.get('wave');
  const cells = query.filters.get('cell');
  return foundRows(tracks, { ...query, q: '' }, TRACK_COLUMNS).flatMap((track) => {
    const q = query.q === '' || matches(TRACK_COLUMNS.text(track), query.q) ? '' : query.q;
    if (q === '' && waves === undefined && cells === undefined) return [track];
    const left = track.waves
      .filter((wave) => waves?.includes(waveName(wave)) ?? true)
      .map((wave) => ({
        ...wave,
        shards: wave.shards.filter((one) => (cells?.includes(one.state) ?? true) && (q === '' || isFound(one, q))),
      }));
    return left.some(({ shards }) => shards.length > 0) ? [{ ...track, waves: left }] : [];
  });
}

function isFound({ id, state, version, reason }: BoardShard, q: string): boolean {
  return matches(`${id} ${state} ${version ?? ''} ${reason}`, q);
}

/** The shards of a wave that are in one state. */
export interface CellGroup {
  readonly track: BoardTrack;
  readonly wave: BoardWave;
  readonly state: BoardShardState;
  readonly shards: readonly BoardShard[];
}

/** The only shards that were found, if they are of one wave and state: they have pages. */
export function onlyGroup(tracks: readonly BoardTrack[]): CellGroup | undefined {
  const [track, ...others] = tracks;
  const waves = track?.waves.filter(({ shards }) => shards.length > 0) ?? [];
  const [wave] = waves;
  if (track === undefined || wave === undefined || others.length > 0 || waves.length > 1) return undefined;
  const groups = cellsByState(wave);
  const [state, shards] = groups[0] ?? [];
  return groups.length !== 1 || state === undefined || shards === undefined
    ? undefined
    : { track, wave, state, shards };
}

/** The URL of all shards of a wave that are in one state. */
export function groupHref({ track, wave, state }: Omit<CellGroup, 'shards'>): string {
  return `${trackHref(track)}&${new URLSearchParams({ wave: waveName(wave), cell: state })}`;
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
