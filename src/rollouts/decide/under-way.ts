import type { ScopeFacts, ShardFacts } from '../facts.ts';
import type { HealthQuery, RolloutFile } from '../file/rollout-file.ts';
import { emptyScope, type RolloutRecord, scopeKey } from '../record/record.ts';
import { trackFinder } from './track-rules.ts';

/** A shard of a track under way, and the queries that its health depends on. */
export interface ShardUnderWay {
  readonly environment: string;
  readonly shard: ShardFacts;
  readonly queries: readonly HealthQuery[];
}

/**
 * The shards of tracks that have not completed their target: their pods and jobs are observed, and their queries asked (A6).
 * A completed track is only observed where a shard does not run the target.
 */
export function shardsUnderWay(
  file: RolloutFile,
  scopes: readonly ScopeFacts[],
  record: RolloutRecord,
): ShardUnderWay[] {
  const queries = new Map(file.queries.map((query) => [query.name, query]));
  return scopes.flatMap((scope) => {
    const { tracks } = record.scopes.get(scopeKey(scope)) ?? emptyScope(scope);
    const trackOf = trackFinder(file.tracks, scope.environment);
    const found: ShardUnderWay[] = [];
    for (const shard of scope.shards) {
      const track = trackOf(shard);
      if (track === undefined || shard.pinned !== undefined || shard.disabled) continue;
      const progress = tracks.get(track.name);
      const isOver = progress?.isComplete === true && progress.target === scope.target;
      if (isOver && shard.live?.image === scope.target) continue;
      const own = track.health.queries.flatMap((name) => queries.get(name) ?? []);
      found.push({ environment: scope.environment, shard, queries: own });
    }
    return found;
  });
}
