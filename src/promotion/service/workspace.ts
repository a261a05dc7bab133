import { join } from 'node:path';
import { EchelonError } from '../../base/index.ts';
import { type Instance, readInstance } from '../../instance/index.ts';
import type { FilesPort, GitPort, PromotionPorts, Repository } from '../ports.ts';
import type { Sources } from '../targets/find-targets.ts';
import { PROMOTION_FILE, type PromotionConfig, readPromotionFile } from '../targets/promotion-file.ts';

/** The instance as files: a folder and its repository. */
export interface Workspace extends Sources {
  readonly root: string;
  readonly instance: Instance;
}

/** The paths that a promotion reads and may change. */
const PARTS = ['data', 'resources', '.env', PROMOTION_FILE] as const;

/** Loads the files in a folder as an instance. */
export async function openWorkspace(
  { files, loadFolder }: Pick<PromotionPorts, 'files' | 'loadFolder'>,
  folder: string,
  kind: 'working-tree' | 'exported' = 'working-tree',
): Promise<Workspace> {
  const snapshot = await loadFolder(folder, kind);
  return { root: folder, snapshot, instance: readInstance(snapshot), read: (file) => bytesOf(files, folder, file) };
}

/** Rejects links: they would be followed here but not by git, and may point outside the repository. */
function bytesOf(files: FilesPort, folder: string, file: string): Uint8Array | undefined {
  const found = files.bytes(folder, file);
  if (found === undefined || !('linksTo' in found)) return found;
  throw new EchelonError({
    code: 'TARGET_LINK',
    message: `${file} is a link, or below one, to ${found.linksTo}. Nothing was promoted`,
    hint: `use the path of the linked file in ${PROMOTION_FILE}, if it is in this repository`,
  });
}

/** The working tree of a folder with its `promotion.yml`. */
export async function openWorkingTree(
  ports: PromotionPorts,
  folder: string,
): Promise<{ readonly workspace: Workspace; readonly config: PromotionConfig | undefined }> {
  ports.files.recover(folder);
  await requireNoConflicts(ports.git, folder);
  const config = readConfig(ports.files, folder);
  return { workspace: await openWorkspace(ports, folder), config };
}

/** Runs a function on the exported files of a commit, which are removed afterwards. */
export async function withTree<T>(
  ports: PromotionPorts,
  repository: Repository,
  { commit, prefix }: { readonly commit: string; readonly prefix: string },
  use: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  return ports.files.withScratch('promote', async (folder) => {
    const tree = join(folder, 'tree');
    await repository.exportTree(
      commit,
      tree,
      PARTS.map((path) => `${prefix}${path}`),
    );
    return use(await openWorkspace(ports, join(tree, prefix), 'exported'));
  });
}

/** Files with conflict markers would be misread; outside a repository there are none. */
async function requireNoConflicts(git: GitPort, folder: string): Promise<void> {
  const found = await git.repositoryAt(folder).catch((thrown: unknown) => {
    if (thrown instanceof EchelonError && thrown.code === 'NOT_A_REPOSITORY') return undefined;
    throw thrown;
  });
  if (found === undefined) return;
  const { conflicts } = await found.repository.state(PARTS.map((part) => `${found.prefix}${part}`));
  if (conflicts.length === 0) return;
  throw new EchelonError({
    code: 'PROMOTION_DIRTY',
    message: `${conflicts.join(', ')} ${conflicts.length === 1 ? 'has' : 'have'} conflicts. Nothing was changed`,
    hint: 'resolve them and commit first',
  });
}

/** The folder's `promotion.yml`; undefined if it has none. */
export function readConfig(files: FilesPort, folder: string): PromotionConfig | undefined {
  const text = files.text(folder, PROMOTION_FILE);
  return text === undefined ? undefined : readPromotionFile(text);
}
