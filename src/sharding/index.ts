export { type Capabilities, understands } from './capabilities.ts';
export { checkShards, isConsequence } from './check-shards.ts';
export { type Expansion, expandShards } from './expand-shards.ts';
export { isMember, type Membership, rendezvousShardOf, shardOf } from './membership.ts';
export { type Origin, objectName, type Shard, type ShardSettings, settingsOf, workloadOf } from './shard.ts';
export { type ShardItem, STRATEGIES, type Strategy, strategyOf } from './strategies.ts';
