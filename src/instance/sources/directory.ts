import { existsSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { EchelonError } from '../../base/index.ts';
import { INSTANCE_PATHS } from './instance-paths.ts';
import type { InstanceSource } from './instance-source.ts';
import type { WorkingTree } from './working-tree.ts';

/** An instance as a directory with `data/`, and optionally `resources/` and `.env`. What parses is loaded with the first load. */
export function directorySource(root: string, workingTree: WorkingTree): InstanceSource {
  const describe = () => workingTree.describe(root, INSTANCE_PATHS);
  return {
    origin: root,
    glimpse: async () => {
      const git = await describe();
      return git === undefined || git.dirty ? undefined : git.commit;
    },
    load: async (options = {}) => {
      requireDataFolder(root);
      const described = describe();
      const { readDirectory } = await import('./read-directory.ts');
      return readDirectory(root, described, options);
    },
  };
}

function requireDataFolder(root: string): void {
  if (existsSync(join(root, 'data')) && statSync(join(root, 'data')).isDirectory()) {
    for (const folder of ['data', 'resources']) refuseLinkedFolder(root, folder);
    return;
  }
  throw new EchelonError({
    code: 'INSTANCE_NOT_FOUND',
    message: `no folder data/ in ${root}`,
    hint: 'pass the root of a data repository, a bundle file or a qontract-server URL with --data or ECHELON_DATA',
  });
}

/** The folders themselves may be links, but not to outside the repository. */
function refuseLinkedFolder(root: string, folder: string): void {
  const location = join(root, folder);
  if (!existsSync(location)) return;
  const home = realpathSync(root);
  const target = realpathSync(location);
  if (target.startsWith(home.endsWith(sep) ? home : home + sep)) return;
  throw new EchelonError({
    code: 'INSTANCE_LINKED',
    message: `${location} is a link to outside ${root}`,
    hint: 'pass the repository that the link points to with --data',
  });
}
