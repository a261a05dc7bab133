import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../test/support/property.ts';
import { isMember, type Membership, rendezvousShardOf, shardOf } from './membership.ts';

/** Any text, lone surrogates included. */
const KEY = fc.string({
  unit: fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), fc.constant('\ud800')),
});
const SHARDS = fc.integer({ min: 1, max: 1000 });
const OWNER = { md5: shardOf, rendezvous: rendezvousShardOf };
const MEMBERSHIPS: readonly Membership[] = ['md5', 'rendezvous'];

describe('the shard of a key is that of existing integrations', () => {
  it.each([
    { key: 'saas-qontract-reconcile', md5: 'a14984ff9e4577789a8d742c8ba402fe', shards: 3, id: 1 },
    { key: 'app-sre-prod-01/my-namespace', md5: '39747c7c17446834e3e9ffed8702cfb7', shards: 2, id: 1 },
    { key: 'app-sre-prod-01/my-namespace', md5: '39747c7c17446834e3e9ffed8702cfb7', shards: 5, id: 2 },
    { key: 'appsrep05ue1/app-interface-production', md5: '86338a6829f1f27719d3fc2b712d633a', shards: 20, id: 6 },
    {
      key: 'https://gitlab.example.com/service/app-interface',
      md5: 'b3e868fb5b28d373bb0a8abb1cee25b0',
      shards: 4,
      id: 0,
    },
    { key: 'tekton-provider-a', md5: '027dd1f4f716c6483a02a7856ac94a6e', shards: 3, id: 2 },
    { key: 'ü-cluster', md5: '23674b3e8c1eb6a5d4a87e256f0aef9d', shards: 7, id: 3 },
    { key: '', md5: 'd41d8cd98f00b204e9800998ecf8427e', shards: 3, id: 0 },
  ])('"$key" of $shards is in $id', ({ key, md5, shards, id }) => {
    expect(Number(BigInt(`0x${md5}`) % BigInt(shards)), 'the example agrees with itself').toBe(id);
    expect(shardOf(key, shards)).toBe(id);
    expect(ownersOf(key, shards, 'md5')).toEqual([id]);
  });

  it('for every key, by whole-number arithmetic over the MD5 of the runtime', () => {
    holds(
      fc.property(KEY, fc.integer({ min: 1, max: 2 ** 31 }), (key, shards) => {
        const digest = BigInt(`0x${createHash('md5').update(key, 'utf8').digest('hex')}`);
        expect(shardOf(key, shards)).toBe(Number(digest % BigInt(shards)));
      }),
    );
  });
});

describe.each(MEMBERSHIPS)('%s', (membership) => {
  it('S1: every key belongs to exactly one shard and one sub-shard, for any N', () => {
    holds(
      fc.property(KEY, fc.integer({ min: 1, max: 40 }), (key, shards) => {
        expect(ownersOf(key, shards, membership)).toEqual([OWNER[membership](key, shards)]);
      }),
    );
  });

  it('S1: with up to a thousand shards the one that owns a key exists, and no other owns it', () => {
    const others = fc.array(fc.nat({ max: 999 }), { maxLength: 5 });
    holds(
      fc.property(KEY, SHARDS, others, (key, shards, ids) => {
        const owner = OWNER[membership](key, shards);
        const asked = [...new Set([owner, ...ids.filter((id) => id < shards)])];
        expect(Number.isInteger(owner) && owner >= 0 && owner < shards).toBe(true);
        expect(asked.filter((id) => isMember(key, { id, shards }, membership))).toEqual([owner]);
      }),
      { numRuns: 50, examples: [['', 1000, [0, 999]]] },
    );
  });

  it('one shard owns everything', () => {
    holds(fc.property(KEY, (key) => isMember(key, { id: 0, shards: 1 }, membership)));
  });

  it('every shard gets its part of many keys', () => {
    const shards = 8;
    const owned = Array.from({ length: 4000 }, (_, key) => OWNER[membership](`cluster/namespace-${key}`, shards));
    const sizes = Array.from({ length: shards }, (_, id) => owned.filter((owner) => owner === id).length);
    expect(Math.min(...sizes)).toBeGreaterThan(400);
    expect(Math.max(...sizes)).toBeLessThan(600);
  });
});

describe('with one more shard', () => {
  it('rendezvous moves only keys that the new shard wins', () => {
    holds(
      fc.property(KEY, fc.integer({ min: 1, max: 200 }), (key, shards) => {
        const [before, after] = [rendezvousShardOf(key, shards), rendezvousShardOf(key, shards + 1)];
        expect([before, shards]).toContain(after);
      }),
    );
  });

  it('rendezvous moves about one key in N+1, MD5 nearly all', () => {
    const keys = Array.from({ length: 2000 }, (_, key) => `cluster/namespace-${key}`);
    const moved = (owner: typeof shardOf): number => keys.filter((key) => owner(key, 9) !== owner(key, 10)).length;
    expect(moved(rendezvousShardOf)).toBeGreaterThan(150);
    expect(moved(rendezvousShardOf)).toBeLessThan(250);
    expect(moved(shardOf)).toBeGreaterThan(1500);
  });
});

describe('without a choice', () => {
  it('membership is by MD5, as in existing integrations', () => {
    holds(
      fc.property(KEY, fc.integer({ min: 2, max: 50 }), (key, shards) => {
        expect(isMember(key, { id: shardOf(key, shards), shards })).toBe(true);
      }),
    );
  });
});

function ownersOf(key: string, shards: number, membership: Membership): number[] {
  return Array.from({ length: shards }, (_, id) => id).filter((id) => isMember(key, { id, shards }, membership));
}
