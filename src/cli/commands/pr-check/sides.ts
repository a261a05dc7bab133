import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defined } from '../../../base/index.ts';
import type { Problem, SchemaSet } from '../../../instance/index.ts';
import { checkInstance, openInstance, readInstance } from '../../../instance/index.ts';
import { checkWorkloads } from '../../../manager/index.ts';
import type { Side } from '../../../promotion/index.ts';
import type { Io } from '../../io.ts';
import { progressOn } from '../../output/progress.ts';
import type { Compared } from './compared.ts';

/** A side as it lies on disk. */
export interface LoadedSide extends Side {
  readonly folder: string;
  readonly problems: readonly Problem[];
}

export interface LoadedSides {
  readonly base: LoadedSide;
  readonly head: LoadedSide;
  /** Takes the exported files away. */
  dispose(): void;
}

const PARTS = ['data', 'resources', '.env'] as const;
const MAX_TEXT_BYTES = 16 * 1024 * 1024;

/** Both sides, read and checked. Nothing is checked out: commits are written to a folder of their own. */
export async function loadSides(io: Io, compared: Compared, schemas: SchemaSet | undefined): Promise<LoadedSides> {
  const scratch = mkdtempSync(join(tmpdir(), 'echelon-pr-check-'));
  const dispose = (): void => rmSync(scratch, { recursive: true, force: true });
  const progress = progressOn(io);
  try {
    const { base, head, root } = compared;
    const load = async (commit: string | undefined, name: string): Promise<LoadedSide> => {
      progress.step(`read ${name}`);
      const folder = commit === undefined ? root : await exported(compared, commit, join(scratch, name));
      return loadSide(io, folder, schemas, progress.step);
    };
    return { base: await load(base.commit, 'base'), head: await load(head.commit, 'head'), dispose };
  } catch (thrown) {
    dispose();
    throw thrown;
  } finally {
    progress.end();
  }
}

/** A commit from before the instance has an instance without files. */
async function exported({ repository, folder }: Compared, commit: string, into: string): Promise<string> {
  const prefix = folder === '' ? '' : `${folder}/`;
  await repository.exportTree(
    commit,
    into,
    PARTS.map((part) => `${prefix}${part}`),
  );
  const root = join(into, folder);
  mkdirSync(join(root, 'data'), { recursive: true });
  return root;
}

async function loadSide(
  io: Io,
  folder: string,
  schemas: SchemaSet | undefined,
  onProgress: (text: string) => void,
): Promise<LoadedSide> {
  const source = openInstance(folder, { workingTree: { describe: async () => undefined }, server: refuseServer });
  const snapshot = await source.load({ signal: io.signal, onProgress });
  const problems = await checkInstance(snapshot, {
    checks: [checkWorkloads],
    ...defined({ schemas }),
  });
  return { folder, instance: readInstance(snapshot), problems, text: (file) => textOf(join(folder, file)) };
}

function refuseServer(url: string): never {
  throw new Error(`${url} is not a folder`);
}

function textOf(location: string): string | undefined {
  try {
    const found = lstatSync(location);
    return found.isFile() && found.size <= MAX_TEXT_BYTES ? readFileSync(location, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
