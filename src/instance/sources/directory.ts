import { existsSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { EchelonError } from '../../base/index.ts';
import type { ParsedDatafile } from '../parse-datafile.ts';
import { holdFiles } from './held-files.ts';
import { INSTANCE_PATHS } from './instance-paths.ts';
import type { InstanceSource } from './instance-source.ts';
import { revisionOf } from './revision.ts';
import { areTrackedAsBefore } from './tracked-before.ts';
import { treeKey } from './tree-key.ts';
import { describeNamed, type WorkingTree } from './working-tree.ts';

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
      const { filesOnDisk, readDirectory } = await import('./read-directory.ts');
      return readDirectory(root, filesOnDisk(root), described, options);
    },
    hold: async (memory) => {
      requireDataFolder(root);
      const describing = describeNamed(workingTree, root, INSTANCE_PATHS);
      const held = holdFiles(root, memory);
      if (held === undefined) return undefined;
      const key = `${treeKey(join(root, 'data'))}-tracked`;
      const described = describing((tracked) => areTrackedAsBefore(held.names, tracked, key, memory));
      return {
        fingerprint: held.fingerprint,
        revision: async (sha256) => revisionOf(sha256, await described),
        load: async (options, keeping) => {
          const [{ filesHeld, readDirectory }, { keptValues }] = await Promise.all([
            import('./read-directory.ts'),
            import('../kept-values.ts'),
          ]);
          const before = keptValues<ParsedDatafile>(keeping, 'parsed');
          const snapshot = await readDirectory(root, filesHeld(held), described, options, before);
          before.save();
          return snapshot;
        },
      };
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
