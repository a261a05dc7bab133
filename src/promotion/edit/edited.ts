import type { KeyPath } from '../../instance/index.ts';

export interface EditedScalar {
  readonly path: KeyPath;
  /** One-based. */
  readonly line: number;
  readonly old: string;
  readonly value: string;
}

export interface Edited {
  /** The input itself when nothing changes. */
  readonly bytes: Uint8Array;
  /** One per edit, in the order of the edits, also where the value was there already. */
  readonly scalars: readonly EditedScalar[];
}
