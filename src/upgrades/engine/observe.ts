import { defined } from '../../base/index.ts';
import { creditObserved, type Instant, Tally } from '../../gates/index.ts';
import type { ClusterUuid } from '../policies/cluster-key.ts';
import type { Ledger, Minima } from './ledger.ts';
import type { Rules } from './rules.ts';
import { keepLower, lowestVersion, type Version } from './versions.ts';

/** A cluster as observed. */
export interface Observation {
  readonly uuid: ClusterUuid;
  readonly name: string;
  readonly version: Version;
  /** Absent when unknown; the cluster then earns no soak, but counts in the minima. */
  readonly workloads?: readonly string[];
  /** No enforced health check reports it unhealthy. */
  readonly healthy: boolean;
}

/** The history after one more observation of all clusters of an organization. */
export function observe(ledger: Ledger, seen: readonly Observation[], now: Instant, rules: Rules): Ledger {
  const minima = minimaOf(seen) ?? ledger.minima;
  return {
    ...(rules.observedSoakOnly ? creditHealthy(ledger, seen, now, rules) : creditReported(ledger, seen, now)),
    ...defined({ minima }),
  };
}

type Credited = Pick<Ledger, 'checkIn' | 'versions' | 'sightings' | 'behind'>;

function creditHealthy(ledger: Ledger, seen: readonly Observation[], now: Instant, rules: Rules): Credited {
  const reporters = seen.map(({ uuid: id, version, healthy, workloads }) => ({
    ...{ id, version, healthy },
    ...defined({ workloads }),
  }));
  return creditObserved(ledger, reporters, now, rules.maxCreditedInterval);
}

/** As the existing scheduler counts: by name, gaps in full, a duplicate workload twice, and negative intervals too. */
function creditReported(ledger: Ledger, seen: readonly Observation[], now: Instant): Credited {
  const interval = now - (ledger.checkIn ?? now);
  const tally = new Tally(ledger.versions);
  for (const { name, version, workloads = [], healthy } of seen) {
    if (!healthy) continue;
    for (const workload of workloads) {
      const entry = tally.entry(version, workload);
      if (entry.reporting.has(name)) entry.micros += interval;
      else entry.reporting.add(name);
    }
  }
  return { checkIn: now, versions: tally.result(), sightings: new Map() };
}

function minimaOf(seen: readonly Observation[]): Minima | undefined {
  const all = lowestVersion(seen.map(({ version }) => version));
  if (all === undefined) return undefined;
  const perWorkload = new Map<string, Version>();
  for (const { version, workloads = [] } of seen) {
    for (const workload of workloads) keepLower(perWorkload, workload, version);
  }
  return { all, perWorkload };
}
