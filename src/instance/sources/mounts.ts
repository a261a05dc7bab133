import { readFileSync, realpathSync } from 'node:fs';

/**
 * Whether something is mounted below a folder, on another folder or on a single file; a folder's own times do not show it. True where
 * the kernel does not say.
 */
export function hasMountBelow(folder: string): boolean {
  try {
    return isMountBelow(realpathSync(folder), readFileSync('/proc/self/mountinfo', 'utf8'));
  } catch {
    return true;
  }
}

/** @param mounts as Linux lists them, a line each, with the place as the fifth word. */
export function isMountBelow(folder: string, mounts: string): boolean {
  const above = `${folder === '/' ? '' : folder.replaceAll(ESCAPED, octal)}/`;
  return mounts.split('\n').some((line) => line.split(' ', 5)[4]?.startsWith(above) === true);
}

const ESCAPED = /[ \t\n\\]/g;

function octal(character: string): string {
  return `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
}
