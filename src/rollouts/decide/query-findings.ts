import type { LiveShard, ShardFacts } from '../facts.ts';
import type { HealthRules } from '../file/rollout-file.ts';
import type { ShardRecord } from '../record/record.ts';
import type { QueryFinding } from './decision.ts';

/** The queries of the shards that run the target and count, where they are not as expected. */
export function queryFindings(
  sightings: readonly { readonly facts: ShardFacts; readonly record: ShardRecord }[],
  target: string,
  rules: HealthRules,
  fault: string | undefined,
): QueryFinding[] {
  if (rules.queries.length === 0) return [];
  return sightings.flatMap(({ facts: { id, live, pinned, disabled }, record }) => {
    if (live?.image !== target || pinned !== undefined || disabled) return [];
    const isUnderWay = record.move?.image === target;
    return findingsOf(live, rules, fault).map((finding) => ({ shard: id, isUnderWay, ...finding }));
  });
}

type Finding = Pick<QueryFinding, 'query' | 'answer' | 'text'>;

/** Every query of a shard that is wrong or unknown; the wrong ones first. */
export function findingsOf(live: LiveShard, { queries }: HealthRules, fault?: string): Finding[] {
  const found = queries.flatMap((query): Finding[] => {
    const answer = live.queries?.[query] ?? 'unknown';
    if (answer === 'expected') return [];
    return [{ query, answer, text: live.queryTexts?.[query] ?? fault ?? NO_TEXT[answer] }];
  });
  return [...found.filter(({ answer }) => answer === 'wrong'), ...found.filter(({ answer }) => answer !== 'wrong')];
}

const NO_TEXT = { wrong: 'not as expected', unknown: 'no answer' } as const;

/** `query errors: 3, expected at most 0`. */
export function findingText({ query, text }: Finding): string {
  return `query ${query}: ${text}`;
}
