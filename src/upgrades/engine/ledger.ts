import type { SoakLedger } from '../../gates/index.ts';
import type { ClusterUuid } from '../policies/cluster-key.ts';
import type { Version } from './versions.ts';

/** The lowest versions in use. */
export interface Minima {
  readonly all: Version;
  readonly perWorkload: ReadonlyMap<string, Version>;
}

/** The history of an organization. */
export interface Ledger extends SoakLedger<ClusterUuid, Version> {
  readonly minima?: Minima;
  /** Of organizations whose history is inherited; never stored. */
  readonly inheritedMinima?: Minima;
  /** Organizations whose history is inherited, but which were never observed: `environment/organization`. Never stored. */
  readonly unobservedSources?: readonly string[];
}

export const EMPTY_LEDGER: Ledger = { versions: new Map(), sightings: new Map() };
