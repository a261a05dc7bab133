import { parseClusterLabels, policyJson } from '../../../upgrades/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { document } from '../../output/format.ts';
import { type AusFlags, openOcm } from './login.ts';
import { listMembers, organizationId } from './organization.ts';

/** Prints the policies of an organization, in the shape that `apply policies` reads. Those that are wrong are left out and named. */
export async function getPolicies(io: Io, flags: AusFlags): Promise<number> {
  const { client } = openOcm(io, flags, { readOnly: true });
  const members = await listMembers(client, await organizationId(client, flags));
  const isShared = (name: string): boolean => members.filter(({ calls }) => calls.includes(name)).length > 1;
  const policies = members.flatMap(({ name, labels, subscriptionId }) => {
    if (Object.keys(labels).length === 0) return [];
    const { policy } = parseClusterLabels(labels, { strict: true });
    if (policy !== undefined) return [policyJson(name, policy, isShared(name) ? subscriptionId : undefined)];
    io.stderr.write(`warning: the policy of ${name} is not valid and left out: run echelon aus validate\n`);
    return [];
  });
  io.stdout.write(await document('json', policies));
  return EXIT.ok;
}
