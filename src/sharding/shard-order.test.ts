import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FLEET, managedOnce } from '../../test/support/fleet.ts';
import { account, handMadeSnapshot, organization } from '../../test/support/hand-made-snapshot.ts';
import { holds } from '../../test/support/property.ts';
import { readInstance } from '../instance/index.ts';
import { expandShards } from './expand-shards.ts';
import { objectName } from './shard.ts';
import { STRATEGIES } from './strategies.ts';

type Files = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

function expandAll(files: Files) {
  const instance = readInstance(handMadeSnapshot(files));
  return instance.integrations.flatMap((integration) =>
    integration.managed.map((entry) => expandShards(instance, integration, entry)),
  );
}

/** Names that Kubernetes takes, none of which ends in a number: that is how sub-shards are named. */
const NAMES = fc.uniqueArray(fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,6}[a-z])?$/), { minLength: 1, maxLength: 12 });

describe('whatever the order of files', () => {
  it('shards, their order, their names and what is said of them are the same', () => {
    const sharded = STRATEGIES.map(({ id }) => [
      `/integrations/${id}.yml`,
      managedOnce({ name: id, sharding: { strategy: id, shards: 3, shardSpecOverrides: [{ shard: 'acc-1' }] } }),
    ]);
    const files: Files = { ...FLEET, ...Object.fromEntries(sharded) };
    const expected = expandAll(files);
    const entries = Object.entries(files);
    holds(
      fc.property(fc.shuffledSubarray(entries, { minLength: entries.length }), (shuffled) => {
        expect(expandAll(Object.fromEntries(shuffled))).toEqual(expected);
      }),
    );
  });

  it('organizations are in the order of their ids, not of their names', () => {
    const files = {
      ...FLEET,
      '/orgs/1.yml': organization('a', '/ocm/live.yml', { orgId: '3c' }),
      '/orgs/2.yml': organization('b', '/ocm/live.yml', { orgId: '1a' }),
      '/orgs/3.yml': organization('c', '/ocm/live.yml', { orgId: '2B' }),
      '/i.yml': managedOnce({ sharding: { strategy: 'per-ocm-organization' } }),
    };
    expect(expandAll(files)[0]?.shards.map(({ key }) => key)).toEqual(['1a', '2B', '3c']);
  });

  it('the order is that of the keys, not of the names of files', () => {
    holds(
      fc.property(NAMES, fc.integer(), (names, salt) => {
        const accounts = names.map((name, index) => [`/aws/${(index * 7 + salt) % 13}-${name}.yml`, account(name)]);
        const entry = managedOnce({ sharding: { strategy: 'per-aws-account' } });
        const [expansion] = expandAll({
          '/ns.yml': FLEET['/ns.yml']!,
          '/i.yml': entry,
          ...Object.fromEntries(accounts),
        });
        expect(expansion?.shards.map(({ key }) => key)).toEqual([...names].sort());
      }),
    );
  });
});

describe('names', () => {
  it('of shards and of their objects are unique', () => {
    const parts = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 12, maxLength: 12 });
    holds(
      fc.property(NAMES, parts, fc.nat({ max: 12 }), (names, numbers, divided) => {
        const accounts = names.map((name) => [`/aws/${name}.yml`, account(name)]);
        const shardSpecOverrides = names.slice(0, divided).map((shard, index) => ({
          shard,
          subSharding: { strategy: 'static', shards: numbers[index] },
        }));
        const entry = managedOnce({ sharding: { strategy: 'per-aws-account', shardSpecOverrides } });
        const [expansion] = expandAll({
          '/ns.yml': FLEET['/ns.yml']!,
          '/i.yml': entry,
          ...Object.fromEntries(accounts),
        });
        const shards = expansion?.shards ?? [];
        expect(new Set(shards.map(({ name }) => name)).size).toBe(shards.length);
        expect(new Set(shards.map((shard) => objectName({ name: 'i' }, shard))).size).toBe(shards.length);
      }),
    );
  });
});
