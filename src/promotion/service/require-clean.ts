import { EchelonError } from '../../base/index.ts';
import type { FileEdit } from '../../instance/index.ts';
import type { GitPort } from '../ports.ts';

/** Refuses to mix uncommitted changes with a promotion; a rebase in progress only affects the working tree. */
export async function requireClean(
  git: GitPort,
  folder: string,
  files: readonly FileEdit[],
  options: { readonly operations?: 'allowed' } = {},
): Promise<void> {
  if (files.length === 0) return;
  const { repository, prefix } = await git.repositoryAt(folder);
  const { dirty, conflicts, operation } = await repository.state(files.map(({ file }) => `${prefix}${file}`));
  const [conflict] = conflicts;
  if (conflict !== undefined) throw refused(`${conflict} has conflicts`, 'resolve them first');
  if (operation !== undefined && options.operations !== 'allowed') {
    throw refused(`a ${operation} is in progress in ${repository.root}`, `finish or abort the ${operation} first`);
  }
  if (dirty.length > 0) {
    throw refused(
      `${dirty.join(', ')} ${dirty.length === 1 ? 'has' : 'have'} uncommitted changes`,
      'commit, stash or undo them first',
    );
  }
}

function refused(message: string, hint: string): EchelonError {
  return new EchelonError({ code: 'PROMOTION_DIRTY', message: `${message}. Nothing was changed`, hint });
}
