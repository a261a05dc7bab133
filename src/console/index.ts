export type { Observe } from './observe.ts';
export { namedSources, observeUpgrades, shardsData } from './observe.ts';
export { FEED_PATH, SECURITY_HEADERS, STRICT_TRANSPORT } from './page.ts';
export { respond } from './respond.ts';
export type { ShardsData, UpgradesData } from './state.ts';
export { parseShardLink } from './views/shards.ts';
export { createWatch } from './watch.ts';
