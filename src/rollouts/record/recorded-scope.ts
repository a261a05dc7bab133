import { EchelonError, type StateStore } from '../../base/index.ts';
import type { ScopeRecord } from './record.ts';
import { recordKey, rolloutRecords } from './record-store.ts';

/** What the managers remember of an environment and upstream; the error when it cannot be read, undefined when there is nothing. */
export type RecordedScope = (
  scope: Pick<ScopeRecord, 'environment' | 'upstream'>,
) => Promise<ScopeRecord | EchelonError | undefined>;

/** Finds the record of the manager of a scope, which may operate one environment or all, one upstream or all. */
export function recordedScope(store: StateStore): RecordedScope {
  return async ({ environment, upstream }) => {
    const managers = [{ environment, upstream }, { environment }, { upstream }, {}];
    try {
      for (const manager of managers) {
        const { record } = await rolloutRecords(store, () => recordKey(manager)).load();
        const found = [...record.scopes.values()].find(
          (scope) => scope.environment === environment && (!('upstream' in manager) || scope.upstream === upstream),
        );
        if (found !== undefined) return found;
      }
      return undefined;
    } catch (thrown) {
      if (thrown instanceof EchelonError) return thrown;
      throw thrown;
    }
  };
}
