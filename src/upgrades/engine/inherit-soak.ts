import { defined } from '../../base/index.ts';
import { Tally } from '../../gates/index.ts';
import type { InheritedLedger } from './facts.ts';
import type { Ledger, Minima } from './ledger.ts';
import { compareVersions, keepLower, type Version } from './versions.ts';

/**
 * The organization's own history plus those of others, for workloads that its own one knows. For decisions only: just the
 * own history is stored, so nothing is inherited twice or passed on.
 */
export function inheritSoak(own: Ledger, others: readonly InheritedLedger[]): Ledger {
  if (others.length === 0) return own;
  const known = new Set([...own.versions.values()].flatMap((workloads) => [...workloads.keys()]));
  const tally = new Tally(own.versions);
  for (const other of others) addSoak(tally, other, known);
  const inheritedMinima = own.minima === undefined ? undefined : lowestOf(others.map(({ ledger }) => ledger?.minima));
  const unobserved = others.filter(({ ledger }) => ledger?.minima === undefined).map(({ scope }) => scope);
  return {
    ...own,
    versions: tally.result(),
    ...defined({ inheritedMinima }),
    ...(unobserved.length === 0 ? {} : { unobservedSources: unobserved }),
  };
}

function addSoak(tally: Tally, { scope, ledger }: InheritedLedger, known: ReadonlySet<string>): void {
  for (const [version, workloads] of ledger?.versions ?? []) {
    for (const [workload, { micros, reporting }] of workloads) {
      if (!known.has(workload)) continue;
      const entry = tally.entry(version, workload);
      entry.micros += micros;
      for (const cluster of reporting) entry.reporting.add(`${scope}/${cluster}`);
    }
  }
}

export function lowestOf(minima: readonly (Minima | undefined)[]): Minima | undefined {
  let merged: { all: Version; perWorkload: Map<string, Version> } | undefined;
  for (const each of minima) {
    if (each === undefined) continue;
    merged ??= { all: each.all, perWorkload: new Map() };
    if (compareVersions(each.all, merged.all) < 0) merged.all = each.all;
    for (const [workload, version] of each.perWorkload) keepLower(merged.perWorkload, workload, version);
  }
  return merged;
}
