import { defined } from '../base/index.ts';
import type { Instance, Problem, Snapshot } from '../instance/index.ts';
import { workloadCheck } from '../manager/index.ts';
import type { RolloutsText } from '../rollouts/index.ts';
import type { Capabilities } from '../sharding/index.ts';
import type { Io } from './io.ts';
import { rolloutsText } from './rollouts-option.ts';

export interface CheckFlags {
  readonly chart?: string;
  readonly rollouts?: string;
}

interface CheckInput {
  readonly snapshot: Snapshot;
  readonly capabilities: Capabilities | undefined;
}

/** The checks of all rooms, for `checkInstance`; those of rollouts are loaded only where there is a file of them. */
export async function instanceChecks(io: Io, { chart, rollouts }: CheckFlags, { snapshot, capabilities }: CheckInput) {
  const otherChart = chart === undefined ? undefined : true;
  const other = rollouts === undefined ? undefined : rolloutsText(io, rollouts);
  const hasFile = other !== undefined || snapshot.own.size > 0;
  return {
    checks: [workloadCheck(defined({ capabilities, otherChart }))],
    fileChecks: hasFile ? [await fileCheck(other)] : [],
  };
}

async function fileCheck(other: RolloutsText | undefined): Promise<(instance: Instance) => readonly Problem[]> {
  const [{ rolloutsCheck }, { declaredImage }] = await Promise.all([
    import('../rollouts/index.ts'),
    import('../promotion/index.ts'),
  ]);
  return rolloutsCheck(declaredImage, other);
}
