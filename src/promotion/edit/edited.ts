import type { KeyPath } from '../../instance/index.ts';

export interface EditedScalar {
  readonly path: KeyPath;
  /** One-based. */
  readonly line: number;
  readonly old: string;
  readonly value: string;
}

export interface Edited {
  /** The same object as the input if nothing changes. */
  readonly bytes: Uint8Array;
  /** One per edit, in order, also if the value was already set. */
  readonly scalars: readonly EditedScalar[];
}
