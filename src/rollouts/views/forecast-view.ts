import { type Column, defined, listedRows } from '../../base/index.ts';
import { type Instant, secondTextAfter } from '../../gates/index.ts';
import type { TrackForecast, WaveForecast } from '../forecast/forecast.ts';
import { type RolloutView, versionText } from './rollout-view.ts';

interface WaveRow {
  readonly track: TrackForecast;
  readonly wave: WaveForecast;
}

const COLUMNS: readonly Column<WaveRow>[] = [
  { title: 'TRACK', cell: ({ track }) => track.track },
  { title: 'ENVIRONMENT', cell: ({ track }) => track.environment },
  { title: 'TARGET', cell: ({ track }) => versionText(track.target) },
  { title: 'WAVE', cell: ({ wave }) => wave.name },
  { title: 'STARTS', cell: ({ wave }) => timeText(wave.startsAt) ?? '' },
  { title: 'PASSED', cell: ({ wave }) => timeText(wave.passedAt) ?? '' },
  { title: 'UPSTREAM', cell: ({ track }) => track.upstream, wide: true },
];

/** When each wave begins and has passed at the earliest, if everything stays healthy. */
export function forecastView(tracks: readonly TrackForecast[]): RolloutView {
  const rows = tracks.flatMap((track) => track.waves.map((wave) => ({ track, wave })));
  return {
    rows: listedRows({
      ...{ kind: 'RolloutForecast', noun: 'wave', rows, columns: COLUMNS, item },
      name: ({ track, wave }) => `${track.environment}/${track.track}/${wave.name}`,
    }),
    notes: tracks.map(ending),
    isWrong: false,
  };
}

function ending({ environment, track, completesAt, blocked }: TrackForecast): string {
  const where = `${environment}/${track}`;
  if (completesAt !== undefined) return `${where}: complete at ${timeText(completesAt)} if everything stays healthy`;
  if (blocked === undefined) return `${where}: not complete within the time of the forecast`;
  return `${where}: does not complete by itself: ${blocked.id}: ${blocked.verdict.gate}: ${blocked.verdict.reason}`;
}

function item({ track: { waves: _, completesAt, ...track }, wave }: WaveRow): object {
  return {
    ...track,
    ...defined({ completesAt: timeText(completesAt) }),
    wave: wave.name,
    ...defined({ startsAt: timeText(wave.startsAt), passedAt: timeText(wave.passedAt) }),
  };
}

function timeText(time: Instant | undefined): string | undefined {
  return time === undefined ? undefined : secondTextAfter(time);
}
