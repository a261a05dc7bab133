import { defined, EchelonError, type StateStore } from '../../base/index.ts';
import type { InheritedLedger } from '../engine/facts.ts';
import type { Ledger } from '../engine/soak.ts';
import type { InheritedFrom } from '../policies/org-spec.ts';
import { EMPTY_STATE, formatState, type OrganizationState, parseState } from './state-document.ts';

/** A state, and the version to pass when it is replaced. */
export interface StoredState {
  readonly state: OrganizationState;
  readonly version: string | 'absent';
}

/** By `environment/organization`: what a pass that stores nothing observed so far. */
export type FreshLedgers = ReadonlyMap<string, Ledger>;

/** The states of one scheduler: `<integration>/<environment>/<organization>`, as the existing one stores them. */
export interface OrganizationStates {
  read(environment: string, orgId: string): Promise<StoredState>;
  write(
    environment: string,
    orgId: string,
    state: OrganizationState,
    expected: string | 'absent',
  ): Promise<string | 'lost-race'>;
  /** Histories of others, from this pass where `fresh` has them; one that was never written has none. */
  inherited(sources: readonly InheritedFrom[], fresh: FreshLedgers): Promise<InheritedLedger[]>;
}

export function organizationStates(store: StateStore, integration: string): OrganizationStates {
  const keyOf = (environment: string, orgId: string): string => `${integration}/${environment}/${orgId}`;
  const read = async (environment: string, orgId: string): Promise<StoredState> => {
    const key = keyOf(environment, orgId);
    const stored = await store.read(key);
    if (stored === undefined) return { state: EMPTY_STATE, version: 'absent' };
    return { state: parseState(stored.value, `${key} in ${store.name}`), version: stored.version };
  };
  const storedLedger = async (environment: string, orgId: string): Promise<Ledger | undefined> => {
    const { state, version } = await read(environment, orgId);
    return version === 'absent' ? undefined : state.ledger;
  };
  return {
    read,
    write: async (environment, orgId, state, expected) => {
      const written = await store.write(keyOf(environment, orgId), formatState(state), expected);
      return written === 'lost-race' ? written : written.version;
    },
    inherited: async (sources, fresh) => {
      const ledgers: InheritedLedger[] = [];
      for (const { environment, orgId } of sources) {
        const scope = `${environment}/${orgId}`;
        const ledger = fresh.get(scope) ?? (await storedLedger(environment, orgId));
        ledgers.push({ scope, ...defined({ ledger }) });
      }
      return ledgers;
    },
  };
}

/** How often a lost race is retried from a fresh read. */
export const MOST_RACES = 5;

export function raceLost(environment: string, orgId: string, why: string): EchelonError {
  return new EchelonError({
    code: 'STATE_RACE_LOST',
    message: `the history of ${environment}/${orgId} was changed by another process ${why}`,
    hint: 'check that only one scheduler serves this organization, and try again',
  });
}
