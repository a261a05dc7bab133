import type { Deletes } from '../deletes.ts';
import type { Store } from '../store.ts';
import type { Writes } from '../writes.ts';

/** What a controller may use. */
export interface ControlContext {
  readonly store: Store;
  readonly writes: Writes;
  readonly deletes: Deletes;
  readonly clock: () => Date;
}
