import { labelDiff } from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import { type AusFlags, openOcm } from './login.ts';
import { listMembers, memberCalled, organizationId } from './organization.ts';
import { type WriteFlags, writeLabels } from './write-labels.ts';

export interface DeletePolicyFlags extends AusFlags, WriteFlags {
  readonly clusterName: string;
}

/** Takes away every label of a cluster that is about upgrades, approvals of version gates too; no others. */
export async function deletePolicy(io: Io, flags: DeletePolicyFlags): Promise<number> {
  const { client } = openOcm(io, flags, { readOnly: flags.dryRun === true });
  const members = await listMembers(client, await organizationId(client, flags));
  const { name, subscriptionId, labels } = memberCalled(members, flags.clusterName);
  const changes = labelDiff(labels, {}, () => true);
  const owner = { kind: 'subscription', id: subscriptionId } as const;
  return writeLabels(io, client, [{ owner, title: `cluster ${name}`, changes }], flags);
}
