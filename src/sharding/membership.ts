import { md5 } from '@noble/hashes/legacy.js';

/**
 * The shard that a key belongs to: the MD5 of its UTF-8 bytes as one unsigned big-endian number, modulo the
 * number of shards. Identical to what existing integrations compute, so that shards of both can run side by side.
 * MD5 only distributes keys here; it comes from a library because a FIPS build of Node has none.
 */
export function shardOf(key: string, shards: number): number {
  let rest = 0;
  for (const byte of digest(key)) rest = (rest * 256 + byte) % shards;
  return rest;
}

/**
 * Rendezvous hashing, opt-in: every shard gets a score for the key and the highest wins, so that going from N to N+1 shards
 * moves only the keys that the new shard wins, about one in N+1.
 */
export function rendezvousShardOf(key: string, shards: number): number {
  let winner = 0;
  let highest = -1n;
  for (let shard = 0; shard < shards; shard += 1) {
    const bid = asNumber(digest(`${shard}:${key}`));
    if (bid > highest) {
      highest = bid;
      winner = shard;
    }
  }
  return winner;
}

export type Membership = 'md5' | 'rendezvous';

/** Whether an item belongs to this shard. A single shard owns everything. */
export function isMember(key: string, shard: { id: number; shards: number }, membership: Membership = 'md5'): boolean {
  if (shard.shards === 1) return true;
  const owner = membership === 'rendezvous' ? rendezvousShardOf : shardOf;
  return owner(key, shard.shards) === shard.id;
}

function digest(text: string): Uint8Array {
  return md5(new TextEncoder().encode(text));
}

function asNumber(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return value;
}
