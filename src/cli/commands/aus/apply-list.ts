import {
  freezesEdit,
  type OrganizationEdit,
  organizationListShape,
  versionBlocksEdit,
} from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import { type InputFlags, type ReadStdin, readInput, refuseBeside } from './input.ts';
import { changeOrganization, type OrganizationFlags } from './organization-change.ts';
import { flagInvalid } from './write-labels.ts';

export interface ApplyListFlags extends OrganizationFlags, InputFlags {
  readonly blockVersion?: readonly string[];
  readonly unblockVersion?: readonly string[];
  readonly freeze?: readonly string[];
  readonly unfreeze?: readonly string[];
}

interface EditedList {
  readonly verbs: string;
  readonly add: { readonly flag: string; of(flags: ApplyListFlags): readonly string[] | undefined };
  readonly remove: EditedList['add'];
  readonly edit: (edit: Parameters<typeof freezesEdit>[0]) => OrganizationEdit;
}

const LISTS = {
  'version-blocks': {
    verbs: 'block or unblock',
    add: { flag: '--block-version', of: ({ blockVersion }) => blockVersion },
    remove: { flag: '--unblock-version', of: ({ unblockVersion }) => unblockVersion },
    edit: versionBlocksEdit,
  },
  freezes: {
    verbs: 'freeze or unfreeze',
    add: { flag: '--freeze', of: ({ freeze }) => freeze },
    remove: { flag: '--unfreeze', of: ({ unfreeze }) => unfreeze },
    edit: freezesEdit,
  },
} satisfies Readonly<Record<string, EditedList>>;

/** Adds to and removes from a list of an organization: the versions that it blocks, or its times without upgrades. */
export async function applyList(
  io: Io,
  list: keyof typeof LISTS,
  flags: ApplyListFlags,
  stdin: ReadStdin,
): Promise<number> {
  const { verbs, add, remove, edit }: EditedList = LISTS[list];
  refuseBeside(flags, { [add.flag]: add.of(flags), [remove.flag]: remove.of(flags) });
  const given = await readInput(io, flags, organizationListShape, stdin);
  const added = given ?? add.of(flags) ?? [];
  const removed = given === undefined ? (remove.of(flags) ?? []) : [];
  if (given === undefined && added.length === 0 && removed.length === 0) {
    throw flagInvalid(`nothing to ${verbs}`, `use ${add.flag}, ${remove.flag}, - or -f`);
  }
  return changeOrganization(io, flags, edit({ add: added, remove: removed, replace: flags.replace === true }));
}
