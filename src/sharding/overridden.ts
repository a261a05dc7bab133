import type { Finding, Instance, Integration, Managed } from '../instance/index.ts';
import type { Capabilities } from './capabilities.ts';
import type { ShardItem, Strategy } from './strategies.ts';

/** An entry whose overrides are resolved. */
export interface Overridden {
  readonly instance: Instance;
  readonly integration: Integration;
  readonly entry: Managed;
  readonly strategy: Strategy;
  readonly items: readonly ShardItem[];
  readonly capabilities: Capabilities;
}

/** Why an override cannot be used. */
export type OverrideFault = Pick<Finding, 'rule' | 'message' | 'hint'> & {
  /** The invalid field of the override; `shard` when absent. */
  readonly field?: 'subSharding';
};
