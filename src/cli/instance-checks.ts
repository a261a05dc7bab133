import { resolve } from 'node:path';
import { defined, EchelonError, messageOf } from '../base/index.ts';
import type { Instance, Problem, Snapshot } from '../instance/index.ts';
import { workloadCheck } from '../manager/index.ts';
import type { RolloutsText } from '../rollouts/index.ts';
import type { Capabilities } from '../sharding/index.ts';
import type { Io } from './io.ts';
import { readFile } from './read-file.ts';

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

/** The file of `--rollouts`. */
function rolloutsText(io: Io, file: string): RolloutsText {
  const name = resolve(io.cwd, file);
  try {
    return { name, content: readFile(name) };
  } catch (thrown) {
    const message = `cannot read ${file}: ${messageOf(thrown)}`;
    throw new EchelonError({ code: 'ROLLOUTS_UNREADABLE', message, hint: 'pass a readable file with --rollouts' });
  }
}
