import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { count, EchelonError } from '../../../base/index.ts';
import { discover, firstPromotionFile, PROMOTION_FILE, readPromotionFile } from '../../../promotion/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { instanceFolder, openWorkspace, type WorkspaceFlags } from './workspace.ts';

export interface InitFlags extends WorkspaceFlags {
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

/** Writes a first `promotion.yml` by looking for the known places of versions. */
export async function init(io: Io, flags: InitFlags): Promise<number> {
  const folder = instanceFolder(io, flags);
  const path = join(folder, PROMOTION_FILE);
  if (existsSync(path) && flags.force !== true && flags.dryRun !== true) throw exists();
  const { instance, read } = await openWorkspace(io, folder);
  const found = discover(instance, read);
  if (found.targets.length === 0) throw nothingFound();
  const text = firstPromotionFile(found);
  readPromotionFile(text);
  if (flags.dryRun === true) {
    io.stdout.write(text);
    return EXIT.ok;
  }
  writeFileSync(path, text, { flag: flags.force === true ? 'w' : 'wx' });
  io.stdout.write(
    `Wrote ${PROMOTION_FILE} with ${count(found.targets.length, 'target')} of ${count(found.upstreams.length, 'upstream')}. Check it, then run echelon promote plan.\n`,
  );
  return EXIT.ok;
}

function exists(): EchelonError {
  return new EchelonError({
    code: 'PROMOTION_FILE_EXISTS',
    message: `${PROMOTION_FILE} exists already`,
    hint: 'use --force to write it anew, or --dry-run to see what would be written',
  });
}

function nothingFound(): EchelonError {
  return new EchelonError({
    code: 'TARGET_NOT_FOUND',
    message:
      'the instance has none of the known places of a version: no *_IMAGE_TAG in .env, no ref or image tag of an upstream',
    hint: `add RECONCILE_REPO and RECONCILE_IMAGE_TAG to .env, or write ${PROMOTION_FILE} by hand`,
  });
}
