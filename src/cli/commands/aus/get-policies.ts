import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { document } from '../../output/format.ts';
import { line } from '../../output/terminal.ts';
import { type AusFlags, openAus } from './login.ts';

/** Prints the policies of an organization, in the shape that `apply policies` reads. Invalid ones are left out and reported. */
export async function getPolicies(io: Io, flags: AusFlags): Promise<number> {
  const { service } = openAus(io, flags, { readOnly: true });
  const { policies, invalid } = await service.policies();
  for (const name of invalid)
    io.stderr.write(line(`warning: the policy of ${name} is not valid and is left out: run echelon aus validate`));
  io.stdout.write(await document('json', policies));
  return EXIT.ok;
}
