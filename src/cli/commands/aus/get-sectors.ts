import { ownSectors } from '../../../upgrades/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { document } from '../../output/format.ts';
import { type AusFlags, openOcm } from './login.ts';
import { organizationId, organizationLabels } from './organization.ts';

/** Prints the sectors of an organization, in the shape that `apply sectors` reads. */
export async function getSectors(io: Io, flags: AusFlags): Promise<number> {
  const { client } = openOcm(io, flags, { readOnly: true });
  const labels = await organizationLabels(client, await organizationId(client, flags));
  io.stdout.write(await document('json', ownSectors(labels)));
  return EXIT.ok;
}
