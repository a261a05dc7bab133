import type { Context } from '../context.ts';
import type { ServedCluster } from '../facts.ts';
import { broken, pass, type Verdict, wait } from '../verdict.ts';

const IDLE = pass('busy', 'the cluster has no upgrade policy');

/** A cluster that has an upgrade policy, of whatever kind and state, gets no other one. */
export function busyGate({ id, name }: ServedCluster, { policies }: Context): Verdict {
  const [policy, ...more] = policies.get(id) ?? [];
  if (policy === undefined) return IDLE;
  if (more.length > 0) return broken('busy', 'cluster', `${name} has ${more.length + 1} upgrade policies`);
  return wait('busy', `an upgrade to ${policy.version} is ${policy.state}`, { waitsOn: policy.version });
}
