import { versionBlocksEdit, versionBlocksShape } from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import { type InputFlags, type ReadStdin, readInput, refuseBeside } from './input.ts';
import { changeOrganization, type OrganizationFlags } from './organization-change.ts';
import { flagInvalid } from './write-labels.ts';

export interface ApplyVersionBlocksFlags extends OrganizationFlags, InputFlags {
  readonly blockVersion?: readonly string[];
  readonly unblockVersion?: readonly string[];
}

/** Blocks and unblocks versions for a whole organization. */
export async function applyVersionBlocks(io: Io, flags: ApplyVersionBlocksFlags, stdin: ReadStdin): Promise<number> {
  refuseBeside(flags, { '--block-version': flags.blockVersion, '--unblock-version': flags.unblockVersion });
  const given = await readInput(io, flags, versionBlocksShape, stdin);
  const block = given ?? flags.blockVersion ?? [];
  const unblock = given === undefined ? (flags.unblockVersion ?? []) : [];
  if (given === undefined && block.length === 0 && unblock.length === 0) {
    throw flagInvalid('nothing to block or unblock', 'use --block-version, --unblock-version, - or -f');
  }
  return changeOrganization(
    io,
    flags,
    versionBlocksEdit({ add: block, remove: unblock, replace: flags.replace === true }),
  );
}
