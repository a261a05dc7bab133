import { openingText } from '../../gates/index.ts';
import {
  explainShards,
  type Hold,
  type Move,
  type Orphan,
  type Return,
  type RolloutsDecision,
  type ShardExplanation,
} from '../../rollouts/index.ts';
import type { ImageChoice } from '../plan/image-choice.ts';
import type { ObjectName } from '../plan/plan-item.ts';
import type { PlacedShard, Scope } from './scope-facts.ts';

/** By `cluster/namespace/kind/name`. */
export type Choices = ReadonlyMap<string, ImageChoice>;

export function choiceKey({ cluster, namespace, kind, name }: ObjectName): string {
  return `${cluster}/${namespace}/${kind}/${name}`;
}

const NOT_THE_LEADER = 'only the manager that holds the lease moves shards';

/** What a decision means for the workloads; without the right to move, every move is a hold. Pure. */
export function choicesOf(decision: RolloutsDecision, scopes: readonly Scope[], mayMove: boolean): Choices {
  const choices = new Map<string, ImageChoice>();
  const shardOf = shardFinder(scopes);
  const choose = (of: ScopeName, id: string, choice: ImageChoice | undefined): void => {
    const shard = shardOf(of, id);
    if (shard !== undefined && choice !== undefined) choices.set(keyOf(shard), choice);
  };
  const reasons = new Map(explainShards(decision).map((one) => [shardKey(one, one.id), reasonOf(one)]));
  for (const track of decision.tracks) {
    for (const hold of track.holds) choose(track, hold.id, held(hold, reasons.get(shardKey(track, hold.id))));
    for (const move of track.moves) choose(track, move.id, moved(move, declaredIn(scopes, track), mayMove));
    for (const back of track.returns) choose(track, back.id, returned(back, declaredIn(scopes, track), mayMove));
  }
  for (const orphan of decision.orphans) {
    if (orphan.hold !== undefined)
      choose(orphan, orphan.id, held(orphan.hold, reasons.get(shardKey(orphan, orphan.id))));
  }
  return choices;
}

/** Holds everything: what may move is not known (F3). */
export function allHeld(holds: readonly (Hold & ScopeName)[], scopes: readonly Scope[], reason: string): Choices {
  const shardOf = shardFinder(scopes);
  return new Map(
    holds.flatMap((hold) => {
      const shard = shardOf(hold, hold.id);
      return shard === undefined ? [] : [[keyOf(shard), held(hold, reason)] as const];
    }),
  );
}

type ScopeName = Pick<Orphan, 'environment' | 'upstream'>;

function shardFinder(scopes: readonly Scope[]): (of: ScopeName, id: string) => PlacedShard | undefined {
  const known = new Map(
    scopes.map((scope) => [JSON.stringify([scope.facts.environment, scope.facts.upstream]), scope]),
  );
  return ({ environment, upstream }, id) => known.get(JSON.stringify([environment, upstream]))?.shards.get(id);
}

function shardKey({ environment, upstream }: ScopeName, id: string): string {
  return JSON.stringify([environment, upstream, id]);
}

function keyOf({ facts: { cluster, namespace }, kind, name }: PlacedShard): string {
  return choiceKey({ cluster, namespace, kind, name });
}

function declaredIn(scopes: readonly Scope[], { environment, upstream }: ScopeName): string | undefined {
  return scopes.find(({ facts }) => facts.environment === environment && facts.upstream === upstream)?.facts.target;
}

function held({ target }: Hold, reason = 'held by a rollout'): ImageChoice {
  return { kind: 'hold', target, reason };
}

/** A move to the declared image needs no choice: it is what is desired. */
function moved({ image, isBack }: Move, declared: string | undefined, mayMove: boolean): ImageChoice | undefined {
  if (!mayMove) return { kind: 'hold', target: image, reason: NOT_THE_LEADER };
  if (image === declared) return undefined;
  return { kind: 'write', image, reason: isBack ? 'back to an image that soaked' : 'the image under way' };
}

function returned({ image, from }: Return, declared: string | undefined, mayMove: boolean): ImageChoice | undefined {
  if (!mayMove) return { kind: 'hold', target: declared ?? image, reason: NOT_THE_LEADER };
  return { kind: 'write', image, from, reason: `${from} failed` };
}

/** The first closed gate, as everywhere, and when all can be open. */
function reasonOf({ rows, wave, opening }: ShardExplanation): string {
  const closed = rows.find(({ ok }) => !ok);
  const where = wave === undefined ? '' : `wave ${wave}: `;
  if (closed === undefined || opening === undefined) return `${where}held by a rollout`;
  const isSaid = 'at' in opening && opening.after === undefined && closed.reason.includes(opening.at);
  return `${where}${closed.reason}${isSaid ? '' : `; opens ${openingText(opening)}`}`;
}
