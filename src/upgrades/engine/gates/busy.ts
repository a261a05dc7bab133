import { broken, pass, wait } from '../../../gates/index.ts';
import type { Context } from '../context.ts';
import type { ServedCluster } from '../facts.ts';
import { type ClusterGate, poolsBySchedule, type UpgradeVerdict } from '../upgrade-gate.ts';

const IDLE = pass('busy', 'the cluster has no upgrade policy');

/** A cluster that has an upgrade policy, of any kind and state, gets no second one. */
export function busyGate({ id, name }: ServedCluster, { policies }: Context): UpgradeVerdict {
  const [policy, ...more] = policies.get(id) ?? [];
  if (policy === undefined) return IDLE;
  if (more.length > 0) return broken('busy', 'cluster', `${name} has ${more.length + 1} upgrade policies`);
  return wait('busy', `an upgrade to ${policy.version} is ${policy.state}`, { waitsOn: policy.version });
}

export const busyRow: ClusterGate = {
  name: 'busy',
  awaited: 'for an upgrade to end',
  stage: 'idle',
  influences: [],
  concerns: poolsBySchedule,
  judge: ({ cluster }, context) => busyGate(cluster, context),
  opens: ({ fault, waitsOn }) =>
    fault === undefined ? `its upgrade to ${waitsOn} is over` : 'it has only one upgrade policy',
};
