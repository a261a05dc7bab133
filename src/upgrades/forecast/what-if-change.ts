import type { Release } from './offers.ts';

/** Labels without their prefix; null removes one. */
export type LabelChanges = Readonly<Record<string, string | null>>;

/** The changes of a what-if. */
export interface WhatIf {
  /** By name, id or UUID. */
  readonly clusters: Readonly<Record<string, LabelChanges>>;
  /** By id or name. */
  readonly organizations: Readonly<Record<string, LabelChanges>>;
  /** Patterns that every organization would block in addition to its own. */
  readonly blocks: readonly string[];
  readonly releases: readonly Release[];
}
