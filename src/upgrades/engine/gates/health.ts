import type { Context } from '../context.ts';
import type { ServedCluster } from '../facts.ts';
import { pass, type Verdict, wait } from '../verdict.ts';

const HEALTHY = pass('health', 'no enforced health check objects');
const IGNORED = pass('health', 'health does not stop upgrades');

/** A cluster that an enforced health check objects to is left alone. */
export function healthGate({ healthFault }: ServedCluster, { rules }: Context): Verdict {
  if (healthFault === undefined) return HEALTHY;
  return rules.healthGate ? wait('health', healthFault) : IGNORED;
}
