import { statSync } from 'node:fs';

/** Under which what is below a folder is kept: its place in the file system, which needs no hash. */
export function treeKey(location: string): string {
  const { dev, ino } = statSync(location);
  return `tree-${dev}-${ino}`;
}
