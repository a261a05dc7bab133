import { EchelonError } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import { type RolloutRecord, type RolloutRecords, withShadow } from '../../rollouts/index.ts';
import type { ShadowReport, ShardShadow } from '../../shadow/index.ts';
import { shadowFound } from '../shadow/shadow-found.ts';

export interface RecordedShadows {
  /** Ids of the shards whose comparison is in the record now. */
  readonly stored: readonly string[];
  /** Shards that the record does not know: they are in no track, or no manager has observed them yet. */
  readonly unknown: readonly string[];
}

const MOST_ATTEMPTS = 5;

/** Stores what comparisons found in the record of rollouts, where the gate `shadow` reads it. `at` is when they began. */
export async function recordShadows(
  records: Pick<RolloutRecords, 'load' | 'save'>,
  { integration, shards }: Pick<ShadowReport, 'integration' | 'shards'>,
  at: Instant,
): Promise<RecordedShadows> {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    const { record: before, version } = await records.load();
    let record: RolloutRecord = before;
    const [stored, unknown]: [string[], string[]] = [[], []];
    for (const shard of shards) {
      const { environment, name } = shard.shard;
      const found = withShadow(record, { environment, ids: idsOf(integration, shard) }, foundBy(shard, at));
      (found === undefined ? unknown : stored).push(`${integration}/${name}`);
      record = found ?? record;
    }
    if (stored.length === 0 || (await records.save(record, version)) !== 'lost-race') return { stored, unknown };
  }
  throw new EchelonError({
    code: 'ROLLOUT_RACE',
    message: `managers changed the record of rollouts ${MOST_ATTEMPTS} times while a shadow was to be recorded. Nothing was stored`,
    hint: 'run it again; if it happens often, check that the managers have a lease',
  });
}

/** A shard of a name that occurs in two places has its place in its id. */
function idsOf(integration: string, { shard: { name, cluster, namespace } }: ShardShadow): string[] {
  return [`${integration}/${name}`, `${integration}/${name}@${cluster}/${namespace}`];
}

function foundBy({ comparison, runs }: ShardShadow, at: Instant) {
  return shadowFound(comparison, { image: runs.candidate.image, baseline: runs.baseline.image, at });
}
