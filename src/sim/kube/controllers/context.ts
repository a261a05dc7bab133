import type { Deletes } from '../deletes.ts';
import type { Store } from '../store.ts';
import type { Writes } from '../writes.ts';
import type { BadImageKind } from './bad-images.ts';

/** What a controller may use. */
export interface ControlContext {
  readonly store: Store;
  readonly writes: Writes;
  readonly deletes: Deletes;
  readonly clock: () => Date;
  readonly badImageOf: (image: string) => BadImageKind | undefined;
}
