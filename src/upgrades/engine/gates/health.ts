import { pass, wait } from '../../../gates/index.ts';
import type { Context } from '../context.ts';
import type { ServedCluster } from '../facts.ts';
import type { ClusterGate, UpgradeVerdict } from '../upgrade-gate.ts';

const HEALTHY = pass('health', 'no enforced health check fails');
const IGNORED = pass('health', 'health does not stop upgrades');

/** A cluster that fails an enforced health check is not upgraded. */
export function healthGate({ healthFault }: ServedCluster, { rules }: Context): UpgradeVerdict {
  if (healthFault === undefined) return HEALTHY;
  return rules.healthGate ? wait('health', healthFault) : IGNORED;
}

export const healthRow: ClusterGate = {
  name: 'health',
  awaited: 'for health',
  stage: 'fit',
  influences: [],
  judge: ({ cluster }, context) => healthGate(cluster, context),
  opens: () => 'its health check passes again',
};
