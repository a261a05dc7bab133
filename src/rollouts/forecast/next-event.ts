import type { Instant } from '../../gates/index.ts';
import type { MembersDecision } from '../decide/decide-track.ts';
import { STEADY_AFTER } from '../decide/sighting.ts';
import type { TrackRules } from '../decide/track-rules.ts';
import type { ScopeFacts } from '../facts.ts';
import { jobSlot } from './ideal-world.ts';

/** The next time at which the decision can change while all stays healthy; undefined when there is none. */
export function nextEvent(
  rules: TrackRules,
  facts: ScopeFacts,
  decision: Pick<MembersDecision, 'verdicts' | 'shards' | 'waves' | 'target'>,
  now: Instant,
): Instant | undefined {
  const times: number[] = [
    ...decision.verdicts.flatMap(({ verdicts }) => verdicts.flatMap(({ ok, until }) => (ok ? [] : [until ?? 0]))),
    ...rules.overrules.flatMap(({ at, until }) => [at, until ?? 0]),
    ...streakEnds(rules, facts, decision, now),
    ...facts.shards.flatMap((shard) => {
      const moved = decision.shards.get(shard.id)?.move?.at;
      return shard.workload === 'CronJob' && moved !== undefined ? [jobSlot(shard, moved)] : [];
    }),
  ];
  const ahead = times.filter((time) => time > now);
  return ahead.length === 0 ? undefined : (ahead.reduce((a, b) => Math.min(a, b)) as Instant);
}

/** When shards will have soaked, and when they will be steady; stopped ones never will. */
function streakEnds(
  { track }: TrackRules,
  facts: ScopeFacts,
  { shards, waves }: Pick<MembersDecision, 'shards' | 'waves'>,
  now: Instant,
): number[] {
  const stopped = new Set(facts.shards.flatMap(({ id, live }) => (live?.stopped === undefined ? [] : [id])));
  return waves.flatMap(({ shards: ids }, at) =>
    ids
      .filter((id) => !stopped.has(id))
      .flatMap((id) => {
        const { soak, move } = shards.get(id) ?? {};
        const wanted = track.waves[at]?.soak ?? 0;
        return [
          ...(soak === undefined ? [] : [now + wanted - soak.micros]),
          ...(move === undefined || move.steady ? [] : [now + STEADY_AFTER - (move.healthy?.micros ?? 0)]),
        ];
      }),
  );
}
