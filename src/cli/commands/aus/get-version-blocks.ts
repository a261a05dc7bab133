import { type Labels, organizationKey } from '../../../upgrades/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { document } from '../../output/format.ts';
import { type AusFlags, openOcm } from './login.ts';
import { organizationId, organizationLabels } from './organization.ts';

/** Prints the patterns of versions that an organization blocks. */
export async function getVersionBlocks(io: Io, flags: AusFlags): Promise<number> {
  const { client } = openOcm(io, flags, { readOnly: true });
  const labels = await organizationLabels(client, await organizationId(client, flags));
  io.stdout.write(await document('json', blocksIn(labels)));
  return EXIT.ok;
}

/** Patterns as the label has them, also one that is no regular expression: it must be possible to unblock it. */
export function blocksIn(labels: Labels): string[] {
  const members = (labels[organizationKey('blockedVersions')] ?? '').split(',').map((member) => member.trim());
  return [...new Set(members.filter((member) => member !== ''))];
}
