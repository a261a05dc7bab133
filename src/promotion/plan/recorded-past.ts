import { defined, imageVersion, parseImage } from '../../base/index.ts';
import type { RolloutRecord, ScopeRecord } from '../../rollouts/index.ts';
import type { TagChange } from './shard-moves.ts';

/**
 * A record by the tags of a change, for its forecast: which images soaked, failed or are under way. How far each shard is with
 * the image under way is left out, since no cluster is read.
 */
export function recordedPast(scope: ScopeRecord, change: TagChange): RolloutRecord {
  const { environment, upstream } = change;
  const tagOf = (image: string): string => tagIn(image, change);
  const optional = (image: string | undefined) => (image === undefined ? undefined : tagOf(image));
  const past: ScopeRecord = {
    ...{ environment, upstream, history: [] },
    shards: new Map(
      [...scope.shards].map(([id, { integration, shard, good }]) => [
        id,
        { integration, shard, image: change.before, ...defined({ good: optional(good) }) },
      ]),
    ),
    tracks: new Map(
      [...scope.tracks].map(([name, { target, since, isComplete, stable }]) => [
        name,
        { target: tagOf(target), since, isComplete, ...defined({ stable: optional(stable) }) },
      ]),
    ),
    failures: scope.failures.map((failure) => ({ ...failure, image: tagOf(failure.image) })),
  };
  return { scopes: new Map([[JSON.stringify([environment, upstream]), past]]) };
}

/** Whether a track goes back to the image that all of it soaked last. */
export function isWayBack(scope: ScopeRecord, track: string, change: TagChange): boolean {
  const stable = scope.tracks.get(track)?.stable;
  return stable !== undefined && tagIn(stable, change) === change.after;
}

/** The tag that the instance declares for an image; its version where it declares another one. */
function tagIn(image: string, { before, after }: TagChange): string {
  const version = imageVersion(image);
  return [after, before].find((tag) => tag === version || tag === parseImage(image).tag) ?? (version || image);
}
