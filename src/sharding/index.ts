export { checkOverrides } from './check-overrides.ts';
export { type ShardItem, STRATEGIES, type Strategy, strategyOf } from './strategies.ts';
