import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { document } from '../../output/format.ts';
import { type AusFlags, openAus } from './login.ts';

/** Prints a part of an organization's configuration, in the shape that `apply` reads. */
export async function getJson(io: Io, part: 'versionBlocks' | 'freezes' | 'sectors', flags: AusFlags): Promise<number> {
  const { service } = openAus(io, flags, { readOnly: true });
  io.stdout.write(await document('json', await service[part]()));
  return EXIT.ok;
}
