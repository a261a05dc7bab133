import type { Io } from '../../io.ts';
import { type AusFlags, openAus } from './login.ts';
import { type WriteFlags, writePlan } from './write-labels.ts';

export interface DeletePolicyFlags extends AusFlags, WriteFlags {
  readonly clusterName: string;
}

/** Removes every label of a cluster that is about upgrades, approvals of version gates too; no others. */
export async function deletePolicy(io: Io, flags: DeletePolicyFlags): Promise<number> {
  const { service } = openAus(io, flags, { readOnly: flags.dryRun === true });
  return writePlan(io, service, await service.planDeletion(flags.clusterName), flags);
}
