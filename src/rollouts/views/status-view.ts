import { type Column, defined, listedRows } from '../../base/index.ts';
import { instantText } from '../../gates/index.ts';
import type { RolloutsDecision, ScopeTrack } from '../decide/decide-rollouts.ts';
import type { WaveReport } from '../decide/decision.ts';
import { durationText } from '../file/duration.ts';
import { type RolloutView, versionText } from './rollout-view.ts';

interface WaveRow {
  readonly track: Pick<ScopeTrack, 'track' | 'environment' | 'upstream' | 'target' | 'state' | 'alerts' | 'queries'>;
  readonly wave: WaveReport;
}

const COLUMNS: readonly Column<WaveRow>[] = [
  { title: 'TRACK', cell: ({ track }) => track.track },
  { title: 'ENVIRONMENT', cell: ({ track }) => track.environment },
  { title: 'TARGET', cell: ({ track }) => versionText(track.target) },
  { title: 'ROLLOUT', cell: ({ track }) => track.state },
  { title: 'WAVE', cell: ({ wave }) => wave.name },
  { title: 'STATE', cell: ({ wave }) => wave.state },
  { title: 'ON TARGET', cell: ({ wave }) => `${wave.onTarget}/${wave.counting}` },
  { title: 'SOAKED', cell: ({ wave }) => `${wave.soaked}/${wave.counting}` },
  { title: 'SOAK', cell: ({ wave }) => durationText(wave.soak), wide: true },
  { title: 'UPSTREAM', cell: ({ track }) => track.upstream, wide: true },
  { title: 'SHARDS', cell: ({ wave }) => wave.shards.join(' '), wide: true },
  { title: 'REASON', cell: ({ wave }) => wave.reason ?? '' },
];

/** Tracks by waves: how many shards run the target and have soaked it. */
export function statusView({ tracks, orphans }: RolloutsDecision): RolloutView {
  const rows = tracks.flatMap((track) => track.waves.map((wave) => ({ track, wave })));
  const alerts = tracks.flatMap((track) => track.alerts.map((alert) => ({ track, alert })));
  return {
    rows: listedRows({
      ...{ kind: 'RolloutWave', noun: 'wave', rows, columns: COLUMNS, item },
      name: ({ track, wave }) => `${track.environment}/${track.track}/${wave.name}`,
    }),
    notes: [
      ...alerts.map(({ track, alert }) => {
        const where = `${track.environment}/${track.track}`;
        return `${where}: ${alert.kind}: ${alert.shard} on ${versionText(alert.image)}: ${alert.reason}`;
      }),
      ...orphans.map(({ id, environment, verdicts }) => `${environment}: ${id}: ${verdicts[0]?.reason ?? ''}`),
    ],
    isWrong: alerts.length > 0,
  };
}

function item({ track, wave }: WaveRow): object {
  const { track: name, environment, upstream, target, state } = track;
  const own = new Set(wave.shards);
  const alerts = track.alerts
    .filter(({ shard }) => own.has(shard))
    .map(({ at, ...alert }) => ({ ...alert, ...defined({ at: at === undefined ? undefined : instantText(at) }) }));
  const queries = track.queries
    .filter(({ shard }) => own.has(shard))
    .map(({ shard, query, answer, text }) => ({ shard, query, answer, text }));
  return {
    ...{ track: name, environment, upstream, target, rollout: state, wave: wave.name, ...rest(wave) },
    ...{ alerts, queries },
  };
}

function rest({ name: _, soak, ...report }: WaveReport): object {
  return { ...report, soak: durationText(soak) };
}
