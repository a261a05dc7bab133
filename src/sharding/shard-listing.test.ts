import { describe, expect, it } from 'vitest';
import { fleetWith, managedOnce } from '../../test/support/fleet.ts';
import { shardFindings, shardListing } from './shard-listing.ts';

const DIVIDED = fleetWith({ '/mine.yml': managedOnce({ sharding: { strategy: 'static', shards: 2 } }) });

describe('the list of shards', () => {
  it('has the object of each shard and its part of the work', () => {
    const listing = shardListing(DIVIDED, {});
    const { titles, rows } = listing.cells('wide');
    expect(listing.names()).toEqual(['qontract-reconcile-mine-0', 'qontract-reconcile-mine-1']);
    expect(rows.map((row) => row[titles.indexOf('PART')])).toEqual(['1 of 2', '2 of 2']);
  });

  it.each([
    { filters: { integration: ['other'] }, shards: 0 },
    { filters: { environment: ['other'] }, shards: 0 },
    { filters: { environment: ['lab'], integration: ['mine'] }, shards: 2 },
  ])('narrowed by $filters has $shards', ({ filters, shards }) => {
    expect(shardListing(DIVIDED, filters).names()).toHaveLength(shards);
  });

  it('leaves out an entry that cannot be divided, and says why', () => {
    const accounts = managedOnce({ sharding: { strategy: 'per-aws-account' }, capabilities: null });
    const instance = fleetWith({ '/mine.yml': accounts });
    const without = new Map([['mine', []]]);
    const withFlag = new Map([['mine', ['--account-name']]]);
    expect(shardListing(instance, {}, without).names()).toEqual([]);
    expect(shardFindings(instance, without)).toMatchObject([{ rule: 'flag-unsupported', severity: 'error' }]);
    expect(shardListing(instance, {}, withFlag).names()).toHaveLength(4);
    expect(shardFindings(instance, withFlag)).toEqual([]);
  });
});
