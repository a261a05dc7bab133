import { defined, EchelonError, mapLimited, type Pen } from '../../base/index.ts';
import { type Instant, instantOf, MICROS, secondTextAfter } from '../../gates/index.ts';
import type { Instance } from '../../instance/index.ts';
import {
  EMPTY_RECORD,
  forecastRollouts,
  MANAGER_INTEGRATION,
  type RecordedScope,
  ROLLOUTS_RESOURCE,
  type RolloutFile,
  readRollouts,
  type ScopeFacts,
  type ScopeRecord,
  type ShardFacts,
  shardIds,
  type TrackForecast,
} from '../../rollouts/index.ts';
import { expandShards, parentOf, workloadOf } from '../../sharding/index.ts';
import { isWayBack, recordedPast } from './recorded-past.ts';
import { isOfUpstream, type TagChange, tagChanges } from './shard-moves.ts';

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
  /** The record says that all of the track soaked the image. */
  readonly isBack?: true;
  readonly waves: readonly PlannedWave[];
  readonly completesAt?: string;
  /** What keeps it from completing by itself. */
  readonly blocked?: string;
}

/** The waves that a change takes if it is merged now. */
export interface PlannedWaves {
  readonly tracks: readonly PlannedTrack[];
  /** What the times rest on. */
  readonly basis: string;
  /** Why nothing is known of them: everything is held. */
  readonly fault?: string;
}

/** Of a manager that is not told otherwise. */
const PERIOD = 60 * MICROS.second;

/**
 * When each wave would open, from what is declared and recorded: no cluster is read, so that every shard counts as healthy on its
 * old image. Undefined for an instance without rollouts, or a change that gives no environment another image.
 */
export async function plannedWaves(
  before: Instance,
  after: Instance,
  time: Date,
  recorded?: RecordedScope,
): Promise<PlannedWaves | undefined> {
  const content = after.snapshot.echelonFiles.get(ROLLOUTS_RESOURCE);
  const changes = tagChanges(before, after);
  if (content === undefined || changes.length === 0) return undefined;
  const { file, problems } = readRollouts(content, `resources${ROLLOUTS_RESOURCE}`);
  if (file === undefined) return { tracks: [], basis: basisOf([]), fault: problems[0]?.message ?? 'it cannot be read' };
  const now = instantOf(time.getTime());
  const planned = await mapLimited(changes, 1, async (change) => {
    const past = await recorded?.(change);
    const known = past instanceof EchelonError ? undefined : past;
    const record = known === undefined ? EMPTY_RECORD : recordedPast(known, change);
    const scope = declaredScope(after, change, file);
    const forecasts = forecastRollouts(file, [scope], record, { now, period: PERIOD });
    return { past, tracks: forecasts.map((forecast) => plannedTrack(change, forecast, known)) };
  });
  const concerned = planned.filter(({ tracks }) => tracks.length > 0);
  if (concerned.length === 0) return undefined;
  return { tracks: concerned.flatMap(({ tracks }) => tracks), basis: basisOf(concerned.map(({ past }) => past)) };
}

/** Without a record a way back to what soaked looks like a new image. */
function basisOf(pasts: readonly (ScopeRecord | EchelonError | undefined)[]): string {
  const declared = 'if merged now, no cluster was read, every shard counts as healthy';
  if (pasts.length > 0 && pasts.every((past) => past !== undefined && !(past instanceof EchelonError)))
    return `${declared}; which images soaked or failed is from the record of rollouts`;
  const fault = pasts.find((past) => past instanceof EchelonError);
  const why = fault === undefined ? 'no record of rollouts was read' : `the record of rollouts: ${fault.message}`;
  return `${declared} and every image as new (${why}): a way back to an image that soaked opens at once`;
}

function declaredScope(instance: Instance, change: TagChange, { queries }: RolloutFile): ScopeFacts {
  const { environment, upstream } = change;
  const answers = Object.fromEntries(queries.map(({ name }) => [name, 'expected' as const]));
  const shards = instance.integrations
    .filter((integration) => isOfUpstream(integration, upstream) && integration.name !== MANAGER_INTEGRATION)
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

function plannedTrack(change: TagChange, forecast: TrackForecast, past: ScopeRecord | undefined): PlannedTrack {
  const { before, after } = change;
  const { track, environment, waves, completesAt, blocked } = forecast;
  const why = blocked && `${blocked.id}: ${blocked.verdict.gate}: ${blocked.verdict.reason}`;
  return {
    ...{ track, environment, before, after },
    ...(past !== undefined && isWayBack(past, track, change) ? { isBack: true as const } : {}),
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

/** The waves of a change and when each would open, for a terminal; nothing without rollouts. */
export function wavesText(rollout: PlannedWaves | undefined, { paint, line }: Pick<Pen, 'paint' | 'line'>): string {
  if (rollout === undefined) return '';
  const lines = [`${paint('bold', 'Rollout')} ${rollout.basis}`, ...waveLines(rollout).map((text) => `  ${text}`)];
  return `\n${lines.map(line).join('')}`;
}

/** One line for each track, and one for each of its waves. */
export function waveLines({ tracks, fault }: PlannedWaves): string[] {
  if (fault !== undefined) return [`resources${ROLLOUTS_RESOURCE}: ${fault}; the managers would hold everything`];
  return tracks.flatMap(({ track, environment, before, after, isBack, waves, completesAt, blocked }) => [
    `${environment}/${track}: ${before} -> ${after}${isBack === true ? ', a way back' : ''}, ${endText({ completesAt, blocked })}`,
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
