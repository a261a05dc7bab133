import { EchelonError, mapLimited } from '../../base/index.ts';
import {
  holdAll,
  type RolloutFile,
  type RolloutRecord,
  type ShardFacts,
  type ShardUnderWay,
  shardsUnderWay,
} from '../../rollouts/index.ts';
import type { Rendered } from '../desired/render.ts';
import type { Connect } from '../plan/cluster-api.ts';
import type { LiveCluster, PlaceFailure } from '../plan/observe.ts';
import { placeOf } from '../plan/places.ts';
import { allHeld, type Choices } from '../rollout/choices.ts';
import type { PodDetails } from '../rollout/pod-details.ts';
import { type Scope, scopesOf } from '../rollout/scope-facts.ts';
import { errorsIn, type OperatedFleet } from './operated-fleet.ts';
import type { RolloutPorts } from './rollout-ports.ts';
import { answersFor, shardKey, withAnswers } from './rollout-queries.ts';
import type { ShadowAccess } from './shadow-access.ts';

/** A namespace whose pods and jobs cannot be listed. */
export type UnlistedPlace = PlaceFailure & { readonly namespace: string };

/** What a pass knows before it decides rollouts. */
export interface RolloutInput {
  readonly fleet: OperatedFleet & { readonly rendered: Rendered };
  readonly live: readonly LiveCluster[];
  readonly connect: Connect;
  readonly signal: AbortSignal;
  /** Whether nothing was left out by the settings. */
  readonly isWhole: boolean;
  /** Compares dry runs in the clusters; without it only the record says what was found. */
  readonly shadows?: ShadowAccess;
}

/** The shards as the pass observed them, with the pods and jobs that are known. */
export function scopesIn({ fleet, live, isWhole }: RolloutInput, details: ReadonlyMap<string, PodDetails>): Scope[] {
  const isComplete = isWhole && errorsIn(fleet).length === 0 && fleet.rendered.failures.length === 0;
  const { caller, callers } = fleet.settings;
  return scopesOf({
    ...{ groups: fleet.groups, namespaces: fleet.rendered.namespaces, live, details },
    upstreamOf: ({ upstream = caller }) => (callers === undefined ? caller : upstream),
    isComplete,
  });
}

interface Observed {
  readonly scopes: readonly Scope[];
  /** By place; those of tracks under way. */
  readonly details: ReadonlyMap<string, PodDetails>;
  /** Of shards whose pods cannot be listed. */
  readonly held: Choices;
  readonly unlisted: readonly UnlistedPlace[];
}

/** The shards with the pods, jobs and answers that decide about those under way. */
export async function observedScopes(
  file: RolloutFile,
  record: RolloutRecord,
  ports: RolloutPorts,
  input: RolloutInput,
): Promise<Observed> {
  const first = scopesIn(input, new Map());
  const underWay = shardsUnderWay(
    file,
    first.map(({ facts }) => facts),
    record,
  );
  if (underWay.length === 0) return { scopes: first, details: new Map(), held: new Map(), unlisted: [] };
  const { details, unlisted } = await detailsOf(underWay, input);
  const places = new Set(unlisted.map(placeOf));
  const scopes = scopesIn(input, details).map((scope) => withoutPlaces(scope, places));
  const asked = await answersFor(underWay, scopes, ports, input.signal);
  return {
    scopes: scopes.map((scope) => withAnswers(scope, asked)),
    details,
    held: heldIn(unlisted, first, underWay),
    unlisted,
  };
}

/** Nothing is decided about a shard whose pods cannot be listed: it was not seen (D3). */
function withoutPlaces(scope: Scope, places: ReadonlySet<string>): Scope {
  if (places.size === 0) return scope;
  const shards = scope.facts.shards.map((facts): ShardFacts => {
    const { live: _, ...rest } = facts;
    return places.has(placeOf(facts)) ? { ...rest, seen: false } : facts;
  });
  return { ...scope, facts: { ...scope.facts, shards } };
}

function heldIn(
  unlisted: readonly UnlistedPlace[],
  scopes: readonly Scope[],
  underWay: readonly ShardUnderWay[],
): Choices {
  const errors = new Map(unlisted.map((failure) => [placeOf(failure), failure.error.message]));
  const reasons = new Map(
    underWay.map(({ environment, shard }) => [shardKey(environment, shard), errors.get(placeOf(shard))]),
  );
  const holds = Map.groupBy(holdAll(scopes.map(({ facts }) => facts)), (hold) =>
    reasons.get(shardKey(hold.environment, hold)),
  );
  return new Map(
    [...holds].flatMap(([reason, own]) =>
      reason === undefined ? [] : [...allHeld(own, scopes, `its pods cannot be observed: ${reason}`)],
    ),
  );
}

const NAMESPACES_AT_ONCE = 8;

/** Pods and jobs of the namespaces concerned, no others; a failure does not affect the others. */
async function detailsOf(
  underWay: readonly ShardUnderWay[],
  { connect, signal }: RolloutInput,
): Promise<{ readonly details: ReadonlyMap<string, PodDetails>; readonly unlisted: readonly UnlistedPlace[] }> {
  const places = new Map(
    underWay
      .filter(({ shard }) => shard.seen)
      .map(({ shard: { cluster, namespace } }) => [placeOf({ cluster, namespace }), { cluster, namespace }]),
  );
  const details = new Map<string, PodDetails>();
  const unlisted: UnlistedPlace[] = [];
  await mapLimited([...places], NAMESPACES_AT_ONCE, async ([place, { cluster, namespace }]) => {
    try {
      const api = await connect(cluster);
      const [pods, jobs] = await Promise.all(['Pod', 'Job'].map((kind) => api.list(kind, { namespace, signal })));
      details.set(place, { pods: pods ?? [], jobs: jobs ?? [] });
    } catch (thrown) {
      signal.throwIfAborted();
      if (!(thrown instanceof EchelonError)) throw thrown;
      unlisted.push({ cluster, namespace, error: thrown });
    }
  });
  return { details, unlisted };
}
