export type { ConsoleResponse } from './answers.ts';
export { SECURITY_HEADERS, STRICT_TRANSPORT } from './headers.ts';
export { type ConsoleRequest, respond } from './respond.ts';
export { parseShardLink } from './shards/shard-links.ts';
export { shardsData } from './shards/shards-data.ts';
export type { ShardsData, UpgradesData } from './state.ts';
export type { Observe } from './watch/observation.ts';
export { namedSources, observeUpgrades } from './watch/observe-upgrades.ts';
export { createWatch } from './watch/watch.ts';
