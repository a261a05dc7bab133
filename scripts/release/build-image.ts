import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packFolder, REPO, run } from './run.ts';

export interface ImageFacts {
  readonly version: string;
  /** The commit, where it is known. */
  readonly revision: string;
  readonly sourceDate: number;
  /** Instead of the published base of deploy/Containerfile. */
  readonly baseImage?: string;
}

/** Builds a staged context with podman and returns the name of the image. All files and the image have the time of the sources. */
export function buildImage(context: string, { version, revision, sourceDate, baseImage }: ImageFacts): string {
  const name = `localhost/echelon:${version}`;
  const values = {
    VERSION: version,
    REVISION: revision,
    CREATED: new Date(sourceDate * 1000).toISOString(),
    ...(baseImage ? { BASE_IMAGE: baseImage } : {}),
  };
  run('podman', [
    ...['build', '--no-cache', '--format', 'oci', '--timestamp', String(sourceDate), '--tag', name],
    ...['--file', join(REPO, 'deploy/Containerfile')],
    ...Object.entries(values).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]),
    context,
  ]);
  return name;
}

/** Writes an image as an OCI archive, for `podman load` and `skopeo copy`. */
export function saveImage(name: string, archive: string, scratch: string, sourceDate: number): void {
  const folder = join(scratch, 'oci');
  if (existsSync(folder)) throw new Error(`${folder} exists`);
  run('podman', ['save', '--quiet', '--format', 'oci-dir', '--output', folder, name]);
  packFolder(archive, folder, sourceDate);
}
