import type { PolicyTarget } from '../../src/sim/ocm/model.ts';
import { SimOcmError } from '../../src/sim/ocm/ocm-error.ts';
import type { WirePolicy } from '../../src/sim/ocm/world/wire.ts';
import type { World } from '../../src/sim/ocm/world/world.ts';
import { minute } from './sim-ocm-small-fleet.ts';

/** What the small fleet has policies for. */
export const CLASSIC: PolicyTarget = { kind: 'cluster', clusterId: 'c1' };
export const HOSTED: PolicyTarget = { kind: 'control_plane', clusterId: 'h1' };
export const POOL: PolicyTarget = { kind: 'node_pool', clusterId: 'h1', nodePool: 'np2' };

/** The body of a request for an upgrade so many minutes after the start. */
export function manual(version: string, after = 10) {
  return { version, schedule_type: 'manual', next_run: minute(after) };
}

export function automatic(schedule: string) {
  return { schedule_type: 'automatic', schedule };
}

export function create(world: World, target: PolicyTarget, body: Readonly<Record<string, unknown>>): WirePolicy {
  const policy = world.createPolicy(target, body);
  if (policy === undefined) throw new Error('this was no dry run');
  return policy;
}

/** How OCM refuses to do something; undefined when it does not. */
export function refusal(work: () => unknown): SimOcmError | undefined {
  try {
    work();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof SimOcmError) return thrown;
    throw thrown;
  }
}
