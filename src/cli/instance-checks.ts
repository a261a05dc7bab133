import { defined } from '../base/index.ts';
import { type Instance, MANAGER_RESOURCE, managerFileCheck, type Problem, type Snapshot } from '../instance/index.ts';
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

type FileCheck = (instance: Instance) => readonly Problem[];

/** The checks of all rooms, for `checkInstance`; those of other rooms' files are loaded only where there is one. */
export async function instanceChecks(io: Io, { chart, rollouts }: CheckFlags, { snapshot, capabilities }: CheckInput) {
  const otherChart = chart === undefined ? undefined : true;
  const other = rollouts === undefined ? undefined : rolloutsText(io, rollouts);
  const hasFile = other !== undefined || [...snapshot.own.keys()].some((path) => path !== MANAGER_RESOURCE);
  return {
    checks: [workloadCheck(defined({ capabilities, otherChart }))],
    fileChecks: [managerFileCheck, ...(hasFile ? await fileChecks(other) : [])],
  };
}

async function fileChecks(other: RolloutsText | undefined): Promise<FileCheck[]> {
  const [{ rolloutsCheck }, { declaredImage }, { shadowCheck }] = await Promise.all([
    import('../rollouts/index.ts'),
    import('../promotion/index.ts'),
    import('../shadow/index.ts'),
  ]);
  return [rolloutsCheck(declaredImage, other), shadowCheck];
}
