import { type WorkloadChange, workloadKey } from './workloads.ts';

/** Shards of an integration that a change moves to one image. */
export interface ImageMove {
  readonly integration: string;
  readonly candidate: string;
  /** The image at base of each workload, by `workloadKey`. */
  readonly from: ReadonlyMap<string, string>;
}

interface ImageMoves {
  readonly moves: readonly ImageMove[];
  /** Shards beyond the limit. */
  readonly left: number;
}

/**
 * The shards that get another image, at most as many as given. One shard of every integration, environment and image comes
 * before a second one.
 */
export function imageMoves(changes: readonly WorkloadChange[], most: number): ImageMoves {
  const moved = changes.flatMap((change) => {
    const { integration, environment, image } = change;
    if (integration === undefined || image?.from === undefined || image.to === undefined) return [];
    return [{ ...change, integration, environment, from: image.from, candidate: image.to }];
  });
  const alike = Map.groupBy(moved, ({ integration, environment, candidate }) =>
    JSON.stringify([integration, environment, candidate]),
  );
  const inTurn = [...alike.values()]
    .flatMap((group) => group.map((move, turn) => ({ move, turn })))
    .toSorted((a, b) => a.turn - b.turn)
    .map(({ move }) => move);
  const chosen = Map.groupBy(inTurn.slice(0, most), ({ integration, candidate }) =>
    JSON.stringify([integration, candidate]),
  );
  const moves = [...chosen.values()].flatMap((group) => {
    const [first] = group;
    const from = new Map(
      group.map((move) => [workloadKey(move.cluster, move.namespace, move.kind, move.name), move.from] as const),
    );
    return first === undefined ? [] : [{ integration: first.integration, candidate: first.candidate, from }];
  });
  return { moves, left: Math.max(0, inTurn.length - most) };
}
