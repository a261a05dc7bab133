import { describe, expect, it } from 'vitest';
import { EchelonError } from '../../base/index.ts';
import type { FleetPlan } from '../plan/fleet-plan.ts';
import { type RemovalMemory, recentlyRemoved, recorded } from './removal-memory.ts';

const LOST = new Error('the lease was not renewed in time');
const CUT_OFF = new EchelonError({ code: 'KUBE_TIMEOUT', message: 'no response', hint: 'none' });
const PLAN = { items: [], removals: [{ cluster: 'c' }] } as unknown as FleetPlan;

/** Beyond a partition: it responds only when it is not waited for any more. */
function silent(rejection: unknown, stop: AbortController): RemovalMemory {
  return {
    now: () => 0,
    read: (signal) => {
      const { promise, reject } = Promise.withResolvers<never>();
      signal?.addEventListener('abort', () => reject(rejection));
      stop.abort(LOST);
      return promise;
    },
    write: () => Promise.reject(new Error('nothing is written')),
  };
}

describe('what is remembered of deletions, behind a partition', () => {
  it.each([
    { given: 'with the reason of the signal', rejection: LOST },
    { given: 'with an error of its own', rejection: CUT_OFF },
  ])('is not waited for when the lease is lost; it ends $given', async ({ rejection }) => {
    for (const act of [
      (stop: AbortController) => recentlyRemoved(silent(rejection, stop), stop.signal),
      (stop: AbortController) => recorded(PLAN, silent(rejection, stop), stop.signal),
    ]) {
      await expect(act(new AbortController())).rejects.toBe(LOST);
    }
  });
});
