import { realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { openRepository } from './open-repository.ts';
import type { Repository } from './repository.ts';

/** The repository that a folder is in, and the path from its top to the folder, which ends in a slash unless it is empty. */
export async function repositoryAt(
  folder: string,
): Promise<{ readonly repository: Repository; readonly prefix: string }> {
  const repository = await openRepository(folder);
  const path = relative(realpathSync(repository.root), realpathSync(folder)).split(sep).join('/');
  return { repository, prefix: path === '' ? '' : `${path}/` };
}
