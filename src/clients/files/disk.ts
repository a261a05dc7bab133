import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The calls that change files, so that a test can stop between any two of them. */
export type Disk = Pick<
  typeof fs,
  'openSync' | 'writeSync' | 'fchmodSync' | 'fsyncSync' | 'closeSync' | 'renameSync' | 'rmSync'
>;

export const DISK: Disk = fs;

/** Writes a file that does not exist yet; removes it again if that fails. */
export function writeNew(disk: Disk, path: string, bytes: Uint8Array, mode: number): void {
  const descriptor = disk.openSync(path, 'wx', 0o600);
  try {
    for (let at = 0; at < bytes.byteLength; ) at += disk.writeSync(descriptor, bytes, at);
    disk.fchmodSync(descriptor, mode);
    disk.fsyncSync(descriptor);
  } catch (thrown) {
    disk.rmSync(path, { force: true });
    throw thrown;
  } finally {
    disk.closeSync(descriptor);
  }
}

/** The temporary name of a file's new content. It is always the same, so that a leftover is recognised. */
export function temporaryOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.echelon-edit`);
}
