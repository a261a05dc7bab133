import { defined } from '../../base/index.ts';
import { firstClosed, type Verdict } from '../../gates/index.ts';
import type { TrackRecord } from '../record/record.ts';
import type { Move, ShardVerdicts } from './decision.ts';
import type { MoveSubject, RolloutGates, TrackContext } from './rollout-gate.ts';
import type { PlacedSighting } from './seen-shards.ts';
import type { UnderWay } from './track-context.ts';

/** The moves of this pass, and every verdict on every shard that does not run what is declared for it. */
export interface Chosen {
  readonly moves: readonly Move[];
  readonly verdicts: readonly ShardVerdicts[];
}

/** A shard moves when no gate is closed; earlier moves of the pass count in the gates of later ones. */
export function chooseMoves(
  sightings: Iterable<PlacedSighting>,
  context: TrackContext & { readonly underWayNow: UnderWay },
  { stable }: TrackRecord,
  gates: RolloutGates,
): Chosen {
  const rows = [...gates.values()];
  const moves: Move[] = [];
  const verdicts: ShardVerdicts[] = [];
  for (const sighting of sightings) {
    const subject = subjectOf(sighting, context, stable);
    if (subject === undefined) continue;
    const { facts, wave, image, isBack } = subject;
    const judged: Verdict[] = rows.map((row) => row.judge(subject, context));
    const name = wave === undefined ? undefined : context.waves[wave]?.wave.name;
    verdicts.push({ id: facts.id, ...(name === undefined ? {} : { wave: name }), image, verdicts: judged });
    if (firstClosed(judged) !== undefined) continue;
    moves.push({ id: facts.id, image, isBack });
    if (wave !== undefined && facts.live?.stopped === undefined) context.underWayNow.of(wave, image).add(facts.id);
  }
  return { moves, verdicts };
}

/** What a shard would take; undefined for one that cannot be seen, or has it already. */
function subjectOf(
  { facts, record, wave }: PlacedSighting,
  { target, queued }: TrackContext,
  stable: string | undefined,
): MoveSubject | undefined {
  if (!facts.seen) return undefined;
  const live = facts.live?.image;
  // Without an object it starts on what all others run (D10).
  const wanted = live === undefined ? (stable ?? target) : target;
  const image = live === wanted ? queued : wanted;
  if (image === undefined) return undefined;
  const isBack = image !== queued && (image === record.good || image === stable);
  const { shadow } = record;
  return { facts, ...defined({ wave, shadow }), image, isBack };
}
