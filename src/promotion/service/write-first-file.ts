import { EchelonError } from '../../base/index.ts';
import { initialPromotionFile } from '../discover/initial-file.ts';
import { discover } from '../discover/known-targets.ts';
import type { PromotionPorts } from '../ports.ts';
import { PROMOTION_FILE, readPromotionFile } from '../targets/promotion-file.ts';
import { openWorkspace } from './workspace.ts';

export interface FirstFileRequest {
  /** Overwrite an existing file. */
  readonly force: boolean;
  readonly dryRun: boolean;
}

export interface FirstFile {
  readonly text: string;
  readonly targets: number;
  readonly upstreams: number;
}

/** Writes an initial `promotion.yml` with the known places of versions. */
export async function writeFirstFile(
  ports: PromotionPorts,
  folder: string,
  { force, dryRun }: FirstFileRequest,
): Promise<FirstFile> {
  if (ports.files.text(folder, PROMOTION_FILE) !== undefined && !force && !dryRun) throw exists();
  const { instance, read } = await openWorkspace(ports, folder);
  const found = discover(instance, read);
  if (found.targets.length === 0) throw nothingFound();
  const text = initialPromotionFile(found);
  readPromotionFile(text);
  if (!dryRun) ports.files.write(folder, PROMOTION_FILE, text, { replace: force });
  return { text, targets: found.targets.length, upstreams: found.upstreams.length };
}

function exists(): EchelonError {
  return new EchelonError({
    code: 'PROMOTION_FILE_EXISTS',
    message: `${PROMOTION_FILE} already exists`,
    hint: 'pass --force to overwrite it, or --dry-run to print it',
  });
}

function nothingFound(): EchelonError {
  return new EchelonError({
    code: 'TARGET_NOT_FOUND',
    message:
      'no known place of a version in this instance: no *_IMAGE_TAG in .env, no ref or image tag of an upstream, no tag in manager.yml',
    hint: `set a tag in resources/echelon/manager.yml, or write ${PROMOTION_FILE} by hand`,
  });
}
