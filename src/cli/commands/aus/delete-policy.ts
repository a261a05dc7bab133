import type { Io } from '../../io.ts';
import { type AusFlags, openAus } from './login.ts';
import { type WriteFlags, writePlan } from './write-labels.ts';

export interface DeletePolicyFlags extends AusFlags, WriteFlags {
  readonly clusterName: string;
}

/** Removes all upgrade labels of a cluster, version gate approvals too; no others. */
export async function deletePolicy(io: Io, flags: DeletePolicyFlags): Promise<number> {
  const { service } = openAus(io, flags, { readOnly: flags.dryRun === true });
  return writePlan(io, service, await service.planDeletion(flags.clusterName), flags);
}
