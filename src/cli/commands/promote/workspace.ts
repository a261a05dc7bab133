import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { defined, EchelonError } from '../../../base/index.ts';
import { describeWorkingTree, openRepository, type Repository } from '../../../clients/git/index.ts';
import { type Instance, openInstance, readInstance } from '../../../instance/index.ts';
import { PROMOTION_FILE, type PromotionConfig, readPromotionFile, type Sources } from '../../../promotion/index.ts';
import { shortPath } from '../../instance-option.ts';
import type { Io } from '../../io.ts';
import { progressOn } from '../../output/progress.ts';

export interface WorkspaceFlags {
  readonly data?: string;
}

/** The instance as files: a folder, and the repository that it is in. */
export interface Workspace extends Sources {
  readonly root: string;
  readonly instance: Instance;
}

/** The folder that is promoted: `--data`, ECHELON_DATA, else the current one. A bundle or a server cannot be edited. */
export function instanceFolder(io: Io, { data }: WorkspaceFlags): string {
  const name = data ?? (io.env['ECHELON_DATA'] || '.');
  const folder = resolve(io.cwd, name);
  const isUrl = /^https?:\/\//i.test(name);
  if (!isUrl && statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new EchelonError({
    code: 'PROMOTION_NEEDS_FOLDER',
    message: isUrl
      ? 'a promotion edits files, and the data is at a server'
      : `a promotion edits files, and ${shortPath(io.cwd, name)} is no folder`,
    hint: 'name a clone of the data repository with --data',
  });
}

/** Reads the files below a folder as an instance; files that were exported have no repository to be described by. */
export async function openWorkspace(
  io: Io,
  folder: string,
  workingTree: { readonly describe: typeof describeWorkingTree } = { describe: describeWorkingTree },
): Promise<Workspace> {
  const progress = progressOn(io);
  try {
    const source = openInstance(folder, {
      workingTree,
      server: () => {
        throw new Error('a folder has no server');
      },
    });
    const snapshot = await source.load({ signal: io.signal, onProgress: progress.step });
    return { root: folder, snapshot, instance: readInstance(snapshot), read: (file) => bytesOf(folder, file) };
  } finally {
    progress.end();
  }
}

/** A link would be followed here and not by git, and may lead out of the repository. */
function bytesOf(folder: string, file: string): Uint8Array | undefined {
  const path = join(folder, file);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  const real = realpathSync(path);
  if (real === join(realpathSync(folder), file)) return readFileSync(path);
  throw new EchelonError({
    code: 'TARGET_LINK',
    message: `${file} is a link, or below one, to ${real}. Nothing is promoted`,
    hint: `name the file itself in ${PROMOTION_FILE}, if it is in this repository`,
  });
}

/** Files with conflict markers are read as something else, or not at all; outside of a repository there are none. */
async function requireNoConflicts(folder: string): Promise<void> {
  const found = await repositoryOf(folder).catch((thrown: unknown) => {
    if (thrown instanceof EchelonError && thrown.code === 'NOT_A_REPOSITORY') return undefined;
    throw thrown;
  });
  if (found === undefined) return;
  const parts = ['data', 'resources', '.env', PROMOTION_FILE].map((part) => `${found.prefix}${part}`);
  const { conflicts } = await found.repository.state(parts);
  if (conflicts.length === 0) return;
  throw new EchelonError({
    code: 'PROMOTION_DIRTY',
    message: `${conflicts.join(', ')} ${conflicts.length === 1 ? 'has' : 'have'} conflicts. Nothing was changed`,
    hint: 'resolve them and commit first',
  });
}

/** The folder that is promoted as it lies there, with its `promotion.yml`. */
export async function openWorkingTree(
  io: Io,
  folder: string,
): Promise<{ readonly workspace: Workspace; readonly config: PromotionConfig | undefined }> {
  await requireNoConflicts(folder);
  const config = readConfig(folder);
  return { workspace: await openWorkspace(io, folder), config };
}

/** The repository that a folder is in, and where in it. */
export async function repositoryOf(folder: string): Promise<{ repository: Repository; prefix: string }> {
  const repository = await openRepository(folder);
  const path = relative(realpathSync(repository.root), realpathSync(folder)).split(sep).join('/');
  return { repository, prefix: path === '' ? '' : `${path}/` };
}

/** `promotion.yml` of a folder; undefined when it has none. */
export function readConfig(folder: string): PromotionConfig | undefined {
  const path = join(folder, PROMOTION_FILE);
  return existsSync(path) ? readPromotionFile(readFileSync(path, 'utf8')) : undefined;
}

export function missingConfig(): EchelonError {
  return new EchelonError({
    code: 'PROMOTION_FILE_MISSING',
    message: `there is no ${PROMOTION_FILE} at the root of the instance`,
    hint: 'write a first one with echelon promote init, and check it',
  });
}

/** Schemas are promoted also where no `promotion.yml` says how: `.env` has all that it needs. */
export function withSchemas(config: PromotionConfig | undefined, env: ReadonlyMap<string, string>): PromotionConfig {
  if (config?.upstreams['schemas'] !== undefined) return config;
  const url = env.get('SCHEMAS_REPO');
  if (url === undefined || !env.has('SCHEMAS_IMAGE_TAG')) {
    throw new EchelonError({
      code: 'UPSTREAM_UNKNOWN',
      message: `neither ${PROMOTION_FILE} has an upstream schemas nor .env has SCHEMAS_REPO and SCHEMAS_IMAGE_TAG`,
      hint: 'add them to .env, or the upstream to promotion.yml',
    });
  }
  const image = env.get('SCHEMAS_IMAGE');
  const base = config ?? { upstreams: {}, labels: [], branchPrefix: 'promote-', targets: [] };
  return {
    ...base,
    upstreams: { ...base.upstreams, schemas: { url, ...defined({ image }) } },
    targets: [
      ...base.targets,
      {
        name: 'schemas-checks',
        upstream: 'schemas',
        file: '.env',
        key: 'SCHEMAS_IMAGE_TAG',
        form: 'short',
        required: true,
      },
    ],
  };
}
