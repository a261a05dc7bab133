export type { Capabilities } from './capabilities.ts';
export { badCapabilities, parseCapabilities } from './capabilities-file.ts';
export { isConsequence, undividedShards } from './check-shards.ts';
export { completedNames, type NameKind } from './completed-names.ts';
export { expandShards } from './expand-shards.ts';
export { isMember, rendezvousShardOf, shardOf } from './membership.ts';
export { objectName, parentOf, type Shard, workloadOf } from './shard.ts';
export { shardFindings, shardListing } from './shard-listing.ts';
export { type ShardItem, type Strategy, strategyOf } from './strategies.ts';
