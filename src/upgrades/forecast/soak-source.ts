import type { InheritedLedger, Ledger, Minima } from '../engine/soak.ts';

/** A history on the virtual clock, as those who inherit it read it. */
export interface SoakSource {
  /** Microseconds after a pass. */
  microsAt(pass: number, version: string, workload: string): number;
  /** How many clusters the pass saw. */
  sightedAt(pass: number, version: string, workload: string): number;
  /** At most as many clusters earn soak from now on. */
  earning(version: string, workload: string): number;
  minimaAt(pass: number): Minima | undefined;
}

/** A history that does not change. */
export function fixedSource({ ledger }: Pick<InheritedLedger, 'ledger'>): SoakSource {
  const sighted = sightedIn(ledger);
  return {
    microsAt: (_, version, workload) => ledger?.versions.get(version)?.get(workload)?.micros ?? 0,
    sightedAt: (_, version, workload) => sighted.get(version)?.get(workload) ?? 0,
    earning: () => 0,
    minimaAt: () => ledger?.minima,
  };
}

function sightedIn(ledger: Ledger | undefined): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const counts = new Map<string, Map<string, number>>();
  for (const { version, workloads } of ledger?.sightings.values() ?? []) {
    const ofVersion = counts.get(version) ?? new Map<string, number>();
    counts.set(version, ofVersion);
    for (const workload of new Set(workloads)) ofVersion.set(workload, (ofVersion.get(workload) ?? 0) + 1);
  }
  return counts;
}
