import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { document } from '../../output/format.ts';
import { type AusFlags, openAus } from './login.ts';

/** Prints the version patterns that an organization blocks. */
export async function getVersionBlocks(io: Io, flags: AusFlags): Promise<number> {
  const { service } = openAus(io, flags, { readOnly: true });
  io.stdout.write(await document('json', await service.versionBlocks()));
  return EXIT.ok;
}
