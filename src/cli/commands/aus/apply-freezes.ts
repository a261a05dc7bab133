import { freezesEdit, freezesShape } from '../../../upgrades/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { document } from '../../output/format.ts';
import { type InputFlags, type ReadStdin, readInput, refuseBeside } from './input.ts';
import { type AusFlags, openAus } from './login.ts';
import { changeOrganization, type OrganizationFlags } from './organization-change.ts';
import { flagInvalid } from './write-labels.ts';

export interface ApplyFreezesFlags extends OrganizationFlags, InputFlags {
  readonly freeze?: readonly string[];
  readonly unfreeze?: readonly string[];
}

/** Adds and removes times in which no cluster of an organization is upgraded. */
export async function applyFreezes(io: Io, flags: ApplyFreezesFlags, stdin: ReadStdin): Promise<number> {
  refuseBeside(flags, { '--freeze': flags.freeze, '--unfreeze': flags.unfreeze });
  const given = await readInput(io, flags, freezesShape, stdin);
  const add = given ?? flags.freeze ?? [];
  const remove = given === undefined ? (flags.unfreeze ?? []) : [];
  if (given === undefined && add.length === 0 && remove.length === 0) {
    throw flagInvalid('nothing to freeze or unfreeze', 'use --freeze, --unfreeze, - or -f');
  }
  return changeOrganization(io, flags, freezesEdit({ add, remove, replace: flags.replace === true }));
}

/** Prints the freezes of an organization. */
export async function getFreezes(io: Io, flags: AusFlags): Promise<number> {
  const { service } = openAus(io, flags, { readOnly: true });
  io.stdout.write(await document('json', await service.freezes()));
  return EXIT.ok;
}
