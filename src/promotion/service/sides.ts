import { join } from 'node:path';
import { type Problem, readInstance } from '../../instance/index.ts';
import type { Side } from '../pr-check/side.ts';
import type { PrCheckPorts } from './check-ports.ts';
import type { Compared } from './compared.ts';

/** A side on disk. */
interface LoadedSide extends Side {
  readonly folder: string;
  readonly problems: readonly Problem[];
}

export interface LoadedSides {
  readonly base: LoadedSide;
  readonly head: LoadedSide;
}

const PARTS = ['data', 'resources', '.env'] as const;
const MAX_TEXT_BYTES = 16 * 1024 * 1024;

/** Loads and validates both sides. Nothing is checked out: commits are exported to separate folders. */
export async function loadSides(ports: PrCheckPorts, compared: Compared, scratch: string): Promise<LoadedSides> {
  const load = async (commit: string | undefined, name: string): Promise<LoadedSide> =>
    loadSide(
      ports,
      commit === undefined ? compared.root : await exported(ports, compared, commit, join(scratch, name)),
    );
  return { base: await load(compared.base.commit, 'base'), head: await load(compared.head.commit, 'head') };
}

/** A commit before the instance existed gives an empty instance. */
async function exported(
  { files }: PrCheckPorts,
  { repository, folder }: Compared,
  commit: string,
  into: string,
): Promise<string> {
  const prefix = folder === '' ? '' : `${folder}/`;
  await repository.exportTree(
    commit,
    into,
    PARTS.map((part) => `${prefix}${part}`),
  );
  const root = join(into, folder);
  files.makeFolder(join(root, 'data'));
  return root;
}

async function loadSide({ files, loadFolder, validate }: PrCheckPorts, folder: string): Promise<LoadedSide> {
  const snapshot = await loadFolder(folder, 'exported');
  return {
    folder,
    instance: readInstance(snapshot),
    problems: await validate(snapshot),
    text: (file) => files.textUpTo(join(folder, file), MAX_TEXT_BYTES),
  };
}
