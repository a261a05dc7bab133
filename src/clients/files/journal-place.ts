import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Where the journals of changes below a folder are kept. */
export interface JournalPlace {
  /** Paths in a journal are relative to this folder. */
  readonly top: string;
  readonly folder: string;
  /** How the name of a journal begins. */
  readonly prefix: string;
}

/** The git folder of the repository, where a journal is no untracked file; without a repository, the folder itself. */
export function journalPlace(root: string): JournalPlace {
  const absolute = resolve(root);
  for (let top = absolute; ; top = dirname(top)) {
    const folder = gitFolder(top);
    if (folder !== undefined) return { top, folder, prefix: 'echelon-edit-' };
    if (dirname(top) === top) return { top: absolute, folder: absolute, prefix: '.echelon-edit-' };
  }
}

/** The git folder of a clone; of a work tree or submodule, the one that its `.git` file names. */
function gitFolder(top: string): string | undefined {
  const path = join(top, '.git');
  try {
    if (statSync(path).isDirectory()) return path;
    const [, named] = /^gitdir: (.+)$/m.exec(readFileSync(path, 'utf8')) ?? [];
    const folder = named === undefined ? undefined : resolve(top, named);
    return folder !== undefined && existsSync(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}
