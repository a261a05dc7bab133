import { describe, expect, it } from 'vitest';
import type { ShardStatus } from './status.ts';
import { stateTotals, statusListing } from './status-listing.ts';

const shard = (name: string, more: Partial<ShardStatus> = {}): ShardStatus => ({
  ...{ cluster: 'c', namespace: 'n', kind: 'Deployment', name, state: 'converged', ready: 1, wanted: 1 },
  ...more,
});
const A = shard('a', { integration: 'one', shard: 'a', expected: 'i:2', live: 'i:1', state: 'lagging' });
const B = shard('b', { integration: 'one', shard: 'b', kind: 'CronJob', expected: 'i:2', live: 'i:2' });
const LOST = shard('lost', { state: 'unexpected' });

describe('the status of shards', () => {
  it('is ordered by integration and place, what nothing declares last', () => {
    expect(statusListing([LOST, B, A]).names()).toEqual(['a', 'b', 'lost']);
  });

  it('shows the images where they differ, and no readiness of scheduled work', () => {
    const { titles, rows } = statusListing([A, B, LOST]).cells('usual');
    const column = (title: string) => rows.map((row) => row[titles.indexOf(title)]);
    expect(column('IMAGE')).toEqual(['1 → 2', '2', '-']);
    expect(column('READY')).toEqual(['1/1', '-', '1/1']);
  });

  it('is totalled by state', () => {
    expect(stateTotals([LOST, B, A])).toBe('1 converged, 1 lagging, 1 unexpected.');
    expect(stateTotals([])).toBeUndefined();
  });
});
