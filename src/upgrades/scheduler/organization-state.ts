import { EchelonError } from '../../base/index.ts';
import type { InheritedLedger } from '../engine/facts.ts';
import type { InheritedFrom } from '../policies/org-spec.ts';
import { EMPTY_STATE, formatState, type OrganizationState, parseState } from './state-document.ts';
import type { StateStore } from './state-store.ts';

/** A state, and the version to pass when it is replaced. */
export interface StoredState {
  readonly state: OrganizationState;
  readonly version: string | 'absent';
}

/** The states of one scheduler: `<integration>/<environment>/<organization>`, as the existing one stores them. */
export interface OrganizationStates {
  read(environment: string, orgId: string): Promise<StoredState>;
  write(
    environment: string,
    orgId: string,
    state: OrganizationState,
    expected: string | 'absent',
  ): Promise<string | 'lost-race'>;
  /** Histories of others; those never written are left out. */
  inherited(sources: readonly InheritedFrom[]): Promise<InheritedLedger[]>;
}

export function organizationStates(store: StateStore, integration: string): OrganizationStates {
  const keyOf = (environment: string, orgId: string): string => `${integration}/${environment}/${orgId}`;
  const read = async (environment: string, orgId: string): Promise<StoredState> => {
    const key = keyOf(environment, orgId);
    const stored = await store.read(key);
    if (stored === undefined) return { state: EMPTY_STATE, version: 'absent' };
    return { state: parseState(stored.value, `${key} in ${store.name}`), version: stored.version };
  };
  return {
    read,
    write: async (environment, orgId, state, expected) => {
      const written = await store.write(keyOf(environment, orgId), formatState(state), expected);
      return written === 'lost-race' ? written : written.version;
    },
    inherited: async (sources) => {
      const ledgers: InheritedLedger[] = [];
      for (const { environment, orgId } of sources) {
        const { state, version } = await read(environment, orgId);
        if (version !== 'absent') ledgers.push({ scope: `${environment}/${orgId}`, ledger: state.ledger });
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
