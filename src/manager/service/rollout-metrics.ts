import { MICROS } from '../../gates/index.ts';
import {
  paceOf,
  type RolloutRecord,
  type RolloutRecords,
  type ScopeRecord,
  type ScopeTrack,
} from '../../rollouts/index.ts';
import type { MetricsRegistry, Series } from './metrics-registry.ts';
import type { RolloutPass } from './rollout-pass.ts';

/** The metrics of rollouts. */
export interface RolloutMetrics {
  /** What a pass decided; without rollouts all series disappear. */
  rollouts(pass: Pick<RolloutPass, 'decision' | 'compared'> | undefined): void;
  /** The same records, each write counted. */
  counted(records: RolloutRecords): RolloutRecords;
}

const TRACK = ['track', 'environment'] as const;

export function rolloutMetrics(metrics: MetricsRegistry): RolloutMetrics {
  const states = metrics.gauge('echelon_rollout_state', 'The state of a track: 1 for the current one', [
    ...TRACK,
    'state',
  ]);
  const shards = metrics.gauge(
    'echelon_rollout_shards',
    'Shards of a wave that run the target, are held, or failed it',
    [...TRACK, 'wave', 'state'],
  );
  const progress = metrics.gauge(
    'echelon_rollout_last_progress_timestamp_seconds',
    'When a shard of a track that has not completed last moved to the target, or when it became the target',
    TRACK,
  );
  const due = metrics.gauge(
    'echelon_rollout_due_timestamp_seconds',
    'When a track under way should have moved on: after its soak or a day, and after freezes, pauses and windows',
    TRACK,
  );
  const writes = metrics.counter('echelon_rollout_record_writes_total', 'Writes of the rollout record, by result', [
    'result',
  ]);
  for (const result of ['stored', 'lost-race', 'failed']) writes.inc({ result }, 0);
  const runs = metrics.counter('echelon_shadow_runs_total', 'Comparisons of dry runs before a shard moves, by result', [
    'result',
  ]);
  for (const result of ['same', 'different', 'inconclusive']) runs.inc({ result }, 0);
  const differences = metrics.gauge(
    'echelon_shadow_differences',
    'Actions that only one of the images would take, for each shard whose last comparison has a result, until it moves',
    ['environment', 'shard'],
  );
  return {
    rollouts: (pass) => {
      const { tracks = [], record } = pass?.decision ?? {};
      for (const { shadow } of pass?.compared ?? []) runs.inc({ result: shadow.result });
      differences.replace([...(record?.scopes.values() ?? [])].flatMap(shadowSeries));
      states.replace(tracks.map(({ track, environment, state }) => one({ track, environment, state }, 1)));
      shards.replace(tracks.flatMap((track) => shardSeries(track, record)));
      const paces = tracks.flatMap((decision) => {
        const pace = record === undefined ? undefined : paceOf(decision, record);
        return pace === undefined ? [] : [{ labels: labelsOf(decision), ...pace }];
      });
      progress.replace(paces.map(({ labels, lastProgress }) => one(labels, lastProgress / MICROS.second)));
      due.replace(
        paces.flatMap(({ labels, dueAt }) => (dueAt === undefined ? [] : [one(labels, dueAt / MICROS.second)])),
      );
    },
    counted: (records) => ({
      ...records,
      save: async (record, expected) => {
        let result = 'failed';
        try {
          const saved = await records.save(record, expected);
          result = saved === 'lost-race' ? saved : 'stored';
          return saved;
        } finally {
          writes.inc({ result });
        }
      },
    }),
  };
}

function one<Name extends string>(labels: Series<Name>['labels'], value: number): Series<Name> {
  return { labels, value };
}

function shadowSeries({ environment, shards }: ScopeRecord) {
  return [...shards].flatMap(([shard, { shadow }]) =>
    shadow === undefined || shadow.result === 'inconclusive' ? [] : [one({ environment, shard }, shadow.differences)],
  );
}

function labelsOf({ track, environment }: ScopeTrack): Series<(typeof TRACK)[number]>['labels'] {
  return { track, environment };
}

function shardSeries(decision: ScopeTrack, record: RolloutRecord | undefined) {
  const stopped = new Set(decision.verdicts.filter(isStopped).map(({ id }) => id));
  const held = new Set(decision.holds.map(({ id }) => id).filter((id) => !stopped.has(id)));
  const failures = [...(record?.scopes.values() ?? [])]
    .filter(({ environment, upstream }) => environment === decision.environment && upstream === decision.upstream)
    .flatMap((scope) => scope.failures);
  const failed = new Set(failures.filter(({ image }) => image === decision.target).map(({ shard }) => shard));
  const among = (ids: ReadonlySet<string>, of: readonly string[]): number => of.filter((id) => ids.has(id)).length;
  return decision.waves.flatMap(({ name: wave, shards, onTarget }) => {
    const labels = { ...labelsOf(decision), wave };
    return [
      one({ ...labels, state: 'on-target' }, onTarget),
      one({ ...labels, state: 'held' }, among(held, shards)),
      one({ ...labels, state: 'failed' }, among(failed, shards)),
    ];
  });
}

/** A disabled shard keeps its image too, but waits for no wave. */
function isStopped({ verdicts }: ScopeTrack['verdicts'][number]): boolean {
  return verdicts.some(({ gate, ok }) => gate === 'pinned' && !ok);
}
