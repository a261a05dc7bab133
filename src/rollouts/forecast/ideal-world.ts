import { defined } from '../../base/index.ts';
import { type Instant, MICROS, windowAt } from '../../gates/index.ts';
import type { MembersDecision } from '../decide/decide-track.ts';
import type { LiveShard, ScopeFacts, ShardFacts } from '../facts.ts';
import type { Track } from '../file/rollout-file.ts';
import type { ScopeRecord, ShardRecord } from '../record/record.ts';

const PASSED = { result: 'same', differences: 0 } as const;

/**
 * The shards at the next pass if all goes well: what was written has arrived, everything is seen and healthy. What is stopped stays
 * so until somebody starts it.
 */
export function idealShards(
  { shards }: ScopeFacts,
  { moves, returns, shadows }: Pick<MembersDecision, 'moves' | 'returns' | 'shadows'>,
  record: ScopeRecord,
  { track, now, next }: { readonly track: Track; readonly now: Instant; readonly next: Instant },
): ShardFacts[] {
  const written = new Map([...moves, ...returns].map(({ id, image }) => [id, image]));
  const queries = Object.fromEntries(track.health.queries.map((name) => [name, 'expected' as const]));
  const compared = new Map(shadows.map(({ id, ...images }) => [id, { ...images, ...PASSED, at: now }]));
  return shards.map(({ shadow: _, shadowRuns: __, ...given }) => {
    const facts = { ...given, ...defined({ shadow: compared.get(given.id) }) };
    const known = record.shards.get(facts.id);
    const image = written.get(facts.id) ?? imageNow(facts, known);
    const { live: before, ...rest } = facts;
    if (image === undefined) return { ...rest, seen: true };
    const isNew = written.has(facts.id);
    const restarts = isNew ? 0 : restartsNow(before, known);
    const live = { image, converged: true, ready: true, restarts, queries, ...stopNow(facts, isNew) };
    if (facts.workload !== 'CronJob') return { ...rest, seen: true, live };
    const jobs = [...(isNew ? [] : (before?.jobs ?? [])), ...jobsBy(facts, image, known?.move?.at, next)];
    return { ...rest, seen: true, live: { ...live, jobs } };
  });
}

function imageNow({ seen, live }: ShardFacts, known: ShardRecord | undefined): string | undefined {
  return seen ? live?.image : known?.image;
}

/** A write stops it where it is declared so; otherwise it stays as it is. */
function stopNow({ live, declaredStop }: ShardFacts, isNew: boolean): Pick<LiveShard, 'stopped'> {
  return defined({ stopped: (isNew ? declaredStop : undefined) ?? live?.stopped });
}

function restartsNow(live: LiveShard | undefined, known: ShardRecord | undefined): number {
  return live?.restarts ?? known?.move?.lastRestarts ?? 0;
}

/** The job that starts at the first slot after the move ends well at once; without a schedule it starts with the move. */
function jobsBy(facts: ShardFacts, image: string, moved: Instant | undefined, next: Instant) {
  const startedAt = jobSlot(facts, moved ?? next);
  return startedAt > next ? [] : [{ image, startedAt, state: 'succeeded' as const }];
}

/** When the first job after a time starts. */
export function jobSlot({ schedule }: Pick<ShardFacts, 'schedule'>, after: Instant): Instant {
  if (schedule === undefined) return after;
  const due = windowAt(schedule, after, { dialect: 'five-fields', timing: { lead: 0, window: MICROS.day } });
  return 'slot' in due ? due.slot : after;
}
