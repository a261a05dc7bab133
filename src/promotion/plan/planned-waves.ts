import { defined } from '../../base/index.ts';
import { type Instant, instantOf, MICROS, secondTextAfter } from '../../gates/index.ts';
import type { Instance } from '../../instance/index.ts';
import {
  EMPTY_RECORD,
  forecastRollouts,
  MANAGER_INTEGRATION,
  ROLLOUTS_RESOURCE,
  type RolloutFile,
  readRollouts,
  type ScopeFacts,
  type ShardFacts,
  shardIds,
  type TrackForecast,
} from '../../rollouts/index.ts';
import { expandShards, parentOf, workloadOf } from '../../sharding/index.ts';
import { type TagChange, tagChanges } from './shard-moves.ts';

interface PlannedWave {
  readonly name: string;
  /** ISO 8601; absent when it does not open by itself. */
  readonly opensAt?: string;
  readonly passedAt?: string;
}

interface PlannedTrack {
  readonly track: string;
  readonly environment: string;
  readonly before: string;
  readonly after: string;
  readonly waves: readonly PlannedWave[];
  readonly completesAt?: string;
  /** What keeps it from completing by itself. */
  readonly blocked?: string;
}

/** The waves that a change takes if it is merged now. */
export interface PlannedWaves {
  readonly tracks: readonly PlannedTrack[];
  /** Why nothing is known of them: everything is held. */
  readonly fault?: string;
}

/** Of a manager that is not told otherwise. */
const PERIOD = 60 * MICROS.second;

/**
 * When each wave would open, from what is declared alone: no cluster is read, so that every shard counts as healthy on its old
 * image. Undefined for an instance without rollouts, or a change that gives no environment another image. Pure.
 */
export function plannedWaves(before: Instance, after: Instance, time: Date): PlannedWaves | undefined {
  const content = after.snapshot.own.get(ROLLOUTS_RESOURCE);
  const changes = tagChanges(before, after);
  if (content === undefined || changes.length === 0) return undefined;
  const { file, problems } = readRollouts(content, `resources${ROLLOUTS_RESOURCE}`);
  if (file === undefined) return { tracks: [], fault: problems[0]?.message ?? 'it cannot be read' };
  const now = instantOf(time.getTime());
  const tracks = changes.flatMap((change) => {
    const scope = declaredScope(after, change, file);
    const forecasts = forecastRollouts(file, [scope], EMPTY_RECORD, { now, period: PERIOD });
    return forecasts.map((forecast) => plannedTrack(change, forecast));
  });
  return tracks.length === 0 ? undefined : { tracks };
}

function declaredScope(instance: Instance, change: TagChange, { queries }: RolloutFile): ScopeFacts {
  const { environment, upstream } = change;
  const answers = Object.fromEntries(queries.map(({ name }) => [name, 'expected' as const]));
  const shards = instance.integrations
    .filter((integration) => integration.upstream === upstream && integration.name !== MANAGER_INTEGRATION)
    .flatMap((integration) =>
      integration.managed
        .filter(({ namespace }) => namespace.environment.name === environment)
        .flatMap((entry) =>
          expandShards(instance, integration, entry).shards.map((shard): Omit<ShardFacts, 'id'> => {
            const { imageRef: pinned, disabled } = shard.settings;
            const image = pinned ?? change.before;
            return {
              ...{
                integration: integration.name,
                shard: shard.name,
                workload: workloadOf(entry),
                disabled,
                seen: true,
              },
              ...{ cluster: entry.namespace.cluster.name, namespace: entry.namespace.name },
              ...defined({ parent: parentOf(shard), schedule: entry.spec.cron, pinned }),
              live: { image, converged: true, ready: true, restarts: 0, queries: answers },
            };
          }),
        ),
    );
  return { environment, upstream, target: change.after, shards: shardIds(shards), isComplete: true };
}

function plannedTrack({ before, after }: TagChange, forecast: TrackForecast): PlannedTrack {
  const { track, environment, waves, completesAt, blocked } = forecast;
  const why = blocked && `${blocked.id}: ${blocked.verdict.gate}: ${blocked.verdict.reason}`;
  return {
    ...{ track, environment, before, after },
    waves: waves.map(({ name, startsAt, passedAt }) => ({
      name,
      ...defined({ opensAt: textOf(startsAt), passedAt: textOf(passedAt) }),
    })),
    ...defined({ completesAt: textOf(completesAt), blocked: why }),
  };
}

function textOf(time: Instant | undefined): string | undefined {
  return time === undefined ? undefined : secondTextAfter(time);
}

export const WAVES_BASIS = 'if merged now, from what is declared: no cluster was read, every shard counts as healthy';

/** One line for each track, and one for each of its waves. */
export function waveLines({ tracks, fault }: PlannedWaves): string[] {
  if (fault !== undefined) return [`resources${ROLLOUTS_RESOURCE}: ${fault}; the managers would hold everything`];
  return tracks.flatMap(({ track, environment, before, after, waves, completesAt, blocked }) => [
    `${environment}/${track}: ${before} -> ${after}, ${endText({ completesAt, blocked })}`,
    ...waves.map(({ name, opensAt, passedAt }) => {
      const passed = passedAt === undefined ? '' : `, has soaked ${passedAt}`;
      return `  ${name} ${opensAt === undefined ? 'does not open by itself' : `opens ${opensAt}${passed}`}`;
    }),
  ]);
}

function endText({ completesAt, blocked }: { completesAt: string | undefined; blocked: string | undefined }): string {
  if (completesAt !== undefined) return `complete ${completesAt}`;
  return blocked === undefined ? 'not complete within 120 days' : `waits for ${blocked}`;
}
