import type { OnLeaseAccess } from './lease-access.ts';
import type { Metrics } from './metrics.ts';

/** Whether a replica can lead at all: what it cannot read or write it cannot acquire either. */
export function leaseMetrics(metrics: Pick<Metrics, 'gauge' | 'counter'>): OnLeaseAccess {
  const reachable = metrics.gauge('echelon_lease_reachable', 'Whether the lease can be read and written', []);
  const errors = metrics.counter('echelon_lease_errors_total', 'Failed requests for the lease', ['access']);
  for (const access of ['read', 'write']) errors.inc({ access }, 0);
  return (access, outcome, problem) => {
    if (outcome === 'failed') errors.inc({ access });
    reachable.replace([{ labels: {}, value: problem === undefined ? 1 : 0 }]);
  };
}
