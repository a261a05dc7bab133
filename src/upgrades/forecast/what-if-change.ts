import type { Release } from './offers.ts';

/** Labels without their prefix; null takes one away. */
export type LabelChanges = Readonly<Record<string, string | null>>;

/** What would be different. */
export interface WhatIf {
  /** By name, id or UUID. */
  readonly clusters: Readonly<Record<string, LabelChanges>>;
  /** By id or name. */
  readonly organizations: Readonly<Record<string, LabelChanges>>;
  /** Patterns that every organization would block besides its own. */
  readonly blocks: readonly string[];
  readonly releases: readonly Release[];
}
