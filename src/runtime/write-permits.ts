import type { Leadership } from './lease-term.ts';

/** What every attempt of a write needs: that of the current leadership. */
type Permit = Pick<Leadership, 'mayWrite' | 'signal'>;

/** Who may write in this process: no one, until that is decided. */
export interface WritePermits {
  /** Undefined where no lease is used: writing is not restricted. */
  current(): Permit | undefined;
  /** A leadership, or undefined where no lease is used. */
  grant(permit: Permit | undefined): void;
}

export function writePermits(): WritePermits {
  let permit: Permit | undefined = {
    mayWrite: () => false,
    signal: AbortSignal.abort(new Error('the lease is not held')),
  };
  return {
    current: () => permit,
    grant: (next) => {
      permit = next;
    },
  };
}
