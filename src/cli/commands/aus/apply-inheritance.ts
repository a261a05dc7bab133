import { type InheritanceJson, inheritanceEdit, inheritanceShape } from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import { type InputFlags, type ReadStdin, readInput, refuseBeside } from './input.ts';
import { changeOrganization, type OrganizationFlags } from './organization-change.ts';
import { flagInvalid } from './write-labels.ts';

export interface ApplyInheritanceFlags extends OrganizationFlags, InputFlags {
  readonly inheritFrom?: readonly string[];
  readonly publishTo?: readonly string[];
}

/** Sets whose history an organization uses, and who may use its own. */
export async function applyInheritance(io: Io, flags: ApplyInheritanceFlags, stdin: ReadStdin): Promise<number> {
  refuseBeside(flags, { '--inherit-from': flags.inheritFrom, '--publish-to': flags.publishTo });
  const given = (await readInput(io, flags, inheritanceShape, stdin)) ?? ofFlags(flags);
  return changeOrganization(io, flags, inheritanceEdit(given, flags.replace === true));
}

function ofFlags({ inheritFrom = [], publishTo = [], replace }: ApplyInheritanceFlags): InheritanceJson {
  if (inheritFrom.length === 0 && publishTo.length === 0 && replace !== true) {
    throw flagInvalid('no organization given', 'use --inherit-from, --publish-to, - or -f');
  }
  return { inherit: [...inheritFrom], publish: [...publishTo] };
}
