import { editedJson, type OrganizationEdit } from '../../../upgrades/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { document } from '../../output/format.ts';
import { type AusFlags, openAus } from './login.ts';
import { type WriteFlags, writePlan } from './write-labels.ts';

export interface OrganizationFlags extends AusFlags, WriteFlags {
  readonly replace?: boolean;
  readonly dump?: boolean;
}

/** Edits labels of an organization, or prints the result of the edit. */
export async function changeOrganization(io: Io, flags: OrganizationFlags, edit: OrganizationEdit): Promise<number> {
  const dump = async (json: object): Promise<number> => {
    io.stdout.write(await document('json', json));
    return EXIT.ok;
  };
  if (flags.dump === true && flags.replace === true) return dump(editedJson(edit, {}));
  const { service } = openAus(io, flags, { readOnly: flags.dryRun === true || flags.dump === true });
  if (flags.dump === true) return dump(await service.editedJson(edit));
  return writePlan(io, service, await service.planOrganization(edit), flags);
}
