import { copyFileSync, cpSync, existsSync } from 'node:fs';
import { basename, join } from 'node:path';

const PARTS = ['data', 'resources', '.env'];

/** Copies a bundle file, or the parts of a data repository that are read, into a folder; returns where the copy is. */
export function copiedData(kind: 'bundle' | 'directory' | 'server', from: string, into: string): string {
  if (kind === 'bundle') {
    const file = join(into, basename(from));
    copyFileSync(from, file);
    return file;
  }
  const folder = join(into, 'instance');
  for (const part of PARTS.filter((name) => existsSync(join(from, name))))
    cpSync(join(from, part), join(folder, part), { recursive: true, verbatimSymlinks: true });
  return folder;
}
