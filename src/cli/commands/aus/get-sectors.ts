import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { document } from '../../output/format.ts';
import { type AusFlags, openAus } from './login.ts';

/** Prints the sectors of an organization, in the shape that `apply sectors` reads. */
export async function getSectors(io: Io, flags: AusFlags): Promise<number> {
  const { service } = openAus(io, flags, { readOnly: true });
  io.stdout.write(await document('json', await service.sectors()));
  return EXIT.ok;
}
