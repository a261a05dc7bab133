import { defined } from '../../base/index.ts';
import type { ShadowRecord, ShardFacts } from '../../rollouts/index.ts';
import { placeOf } from '../plan/places.ts';
import type { PodDetails } from '../rollout/pod-details.ts';
import type { Scope } from '../rollout/scope-facts.ts';
import { type ShardRuns, shardRuns } from '../shadow/shard-runs.ts';
import { shardKey } from './rollout-queries.ts';

/** A comparison that this pass read. */
export interface ComparedShard {
  readonly environment: string;
  readonly id: string;
  readonly shadow: ShadowRecord;
}

interface KnownShadows {
  /** By `idIn`. */
  readonly read: ReadonlyMap<string, ShadowRecord>;
  readonly running: ReadonlyMap<string, ShardRuns>;
  /** By `shardKey`. */
  readonly refused: ReadonlyMap<string, ShadowRecord>;
}

/** A shard in the place that its Jobs are in. */
export function idIn(place: string, id: string): string {
  return JSON.stringify([place, id]);
}

/** The shards with what their comparisons found, and those that run. Pure. */
export function withShadows(
  scopes: readonly Scope[],
  { read, running, refused }: KnownShadows,
): { readonly scopes: readonly Scope[]; readonly compared: readonly ComparedShard[] } {
  const compared: ComparedShard[] = [];
  const told = scopes.map((scope) => {
    const { environment } = scope.facts;
    const shards = scope.facts.shards.map((facts): ShardFacts => {
      const key = idIn(placeOf(facts), facts.id);
      const shadow = read.get(key) ?? refused.get(shardKey(environment, facts));
      if (shadow !== undefined) compared.push({ environment, id: facts.id, shadow });
      const runs = running.get(key);
      const shadowRuns = runs?.baseline === facts.live?.image ? runs?.image : undefined;
      return { ...facts, ...defined({ shadow, shadowRuns }) };
    });
    return { ...scope, facts: { ...scope.facts, shards } };
  });
  return { scopes: told, compared };
}

/** For whoever only reads: the comparisons that a manager has under way or has not read yet. Pure. */
export function withRunning(
  scopes: readonly Scope[],
  details: ReadonlyMap<string, PodDetails>,
  owner: string,
): readonly Scope[] {
  const running = new Map(
    [...details].flatMap(([place, found]) =>
      shardRuns(found, owner).whole.map((runs) => [idIn(place, runs.id), runs] as const),
    ),
  );
  return running.size === 0 ? scopes : withShadows(scopes, { read: new Map(), running, refused: new Map() }).scopes;
}
