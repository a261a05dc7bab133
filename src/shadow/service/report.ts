import type { ShadowComparison, ShadowResult } from '../compare/comparison.ts';
import type { ShadowShard, ShadowSide } from '../run.ts';

interface ReportedRun {
  readonly image: string;
  readonly seconds: number;
  readonly log?: string;
}

/** What two images would do to a shard. */
export interface ShardShadow {
  readonly shard: ShadowShard;
  readonly comparison: ShadowComparison;
  readonly runs: Readonly<Record<ShadowSide, ReportedRun>>;
}

/** The comparisons of an integration's shards, on one revision of the data. */
export interface ShadowReport {
  readonly integration: string;
  readonly revision: string;
  readonly repeat: number;
  readonly shards: readonly ShardShadow[];
}

/** The worst of all shards: what is not known weighs more than a difference, and that more than noise. */
export function worstOf(shards: readonly ShardShadow[]): ShadowResult {
  const all = new Set(shards.map(({ comparison }) => comparison.result));
  return (['inconclusive', 'different', 'noise'] as const).find((result) => all.has(result)) ?? 'same';
}
