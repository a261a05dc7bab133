import { beforeEach, describe, expect, it } from 'vitest';
import { fileOf, NEW, OLD, RolloutWorld } from '../../../test/support/rollout-world.ts';
import { MICROS } from '../../gates/index.ts';
import { EMPTY_RECORD, type RolloutRecords } from '../../rollouts/index.ts';
import { createMetrics, type Metrics } from '../../runtime/index.ts';
import { type RolloutMetrics, rolloutMetrics } from './rollout-metrics.ts';

let metrics: Metrics;
let own: RolloutMetrics;
let fleet: RolloutWorld;
beforeEach(async () => {
  metrics = await createMetrics({ integration: 'integrations-manager', shards: 1, shardId: 0, processMetrics: false });
  own = rolloutMetrics(metrics);
  fleet = new RolloutWorld(['a', 'b', 'c', 'd'], fileOf());
  fleet.target = OLD;
  fleet.passes(25);
  fleet.target = NEW;
});

async function series(name: string): Promise<string[]> {
  const lines = (await metrics.render()).split('\n').filter((line) => line.startsWith(`${name}{`));
  return lines.map((line) => line.slice(name.length).replace('track="t",environment="prod",', '')).toSorted();
}

describe('the metrics of a rollout', () => {
  it('count the shards of each wave by what became of them', async () => {
    fleet.passes(2);
    own.rollouts({ decision: fleet.last });
    expect(await series('echelon_rollout_state')).toEqual(['{state="under-way"} 1']);
    expect(await series('echelon_rollout_shards')).toEqual([
      '{wave="canary",state="failed"} 0',
      '{wave="canary",state="held"} 0',
      '{wave="canary",state="on-target"} 1',
      '{wave="early",state="failed"} 0',
      '{wave="early",state="held"} 2',
      '{wave="early",state="on-target"} 0',
      '{wave="rest",state="failed"} 0',
      '{wave="rest",state="held"} 1',
      '{wave="rest",state="on-target"} 0',
    ]);
    const moved = fleet.now / MICROS.second - 120;
    expect(await series('echelon_rollout_last_progress_timestamp_seconds')).toEqual([
      `{track="t",environment="prod"} ${moved}`,
    ]);
    expect(await series('echelon_rollout_due_timestamp_seconds')).toEqual([
      `{track="t",environment="prod"} ${moved + 86_400}`,
    ]);
  });

  it('name a shard that failed, and are not due while it is halted', async () => {
    fleet.passes(2);
    fleet.live('a', { restarts: 9 });
    fleet.passes(2);
    own.rollouts({ decision: fleet.last });
    expect(await series('echelon_rollout_state')).toEqual(['{state="halted"} 1']);
    expect(await series('echelon_rollout_shards')).toContain('{wave="canary",state="failed"} 1');
    expect(await series('echelon_rollout_due_timestamp_seconds')).toEqual([]);
  });

  it('do not count a disabled shard as held', async () => {
    fleet.set('d', { disabled: true });
    fleet.passes(2);
    own.rollouts({ decision: fleet.last });
    expect(await series('echelon_rollout_shards')).toContain('{wave="rest",state="held"} 0');
  });

  it('count comparisons of dry runs, and what they found for each shard until it moves', async () => {
    fleet.file = fileOf({ shadow: { maxDifferences: 0 } });
    const shadow = { image: NEW, baseline: OLD, at: fleet.now, result: 'different' as const, differences: 2 };
    fleet.set('a', { shadow });
    fleet.pass();
    own.rollouts({ decision: fleet.last, compared: [{ environment: 'prod', id: 'terraform-x/a', shadow }] });
    expect(await series('echelon_shadow_differences')).toEqual(['{environment="prod",shard="terraform-x/a"} 2']);
    expect(await series('echelon_shadow_runs_total')).toEqual([
      '{result="different"} 1',
      '{result="inconclusive"} 0',
      '{result="same"} 0',
    ]);
    fleet.set('a', { shadow: { ...shadow, result: 'same', differences: 0 } });
    fleet.passes(2);
    own.rollouts({ decision: fleet.last });
    expect(await series('echelon_shadow_differences')).toEqual([]);
  });

  it('disappear with the file', async () => {
    own.rollouts({ decision: fleet.pass() });
    own.rollouts(undefined);
    expect(await series('echelon_rollout_state')).toEqual([]);
    expect(await series('echelon_rollout_shards')).toEqual([]);
  });

  it.each([
    { save: async () => 'v2', result: 'stored' },
    { save: async () => 'lost-race', result: 'lost-race' },
    { save: () => Promise.reject(new Error('no')), result: 'failed' },
  ])('count a write of the record as $result', async ({ save, result }) => {
    const records = own.counted({ save } as unknown as RolloutRecords);
    await records.save(EMPTY_RECORD, 'absent').catch(() => undefined);
    const written = await series('echelon_rollout_record_writes_total');
    expect(written.filter((line) => !line.endsWith(' 0'))).toEqual([`{result="${result}"} 1`]);
  });
});
