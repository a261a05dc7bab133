import { lstatSync, mkdirSync, realpathSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';

const WRITABLE_BY_GROUP_OR_OTHERS = 0o022;
const WRITABLE_BY_OTHERS = 0o002;
const STICKY = 0o1000;

/**
 * Makes a folder that nobody but its owner can write to. False when there is none to be had: then what is in it may be
 * from somebody else, and must not be used.
 */
export function privateFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    return found.isDirectory() && isOwn(found) && (found.mode & WRITABLE_BY_GROUP_OR_OTHERS) === 0;
  } catch {
    return false;
  }
}

/** The same, and nobody else can put another folder in its place: for code, which is loaded long after the check. */
export function privatePlace(folder: string): boolean {
  if (!privateFolder(folder)) return false;
  try {
    let place = dirname(realpathSync(folder));
    while (isSafeAbove(lstatSync(place))) {
      if (place === dirname(place)) return true;
      place = dirname(place);
    }
    return false;
  } catch {
    return false;
  }
}

/** In a folder with the sticky bit, such as /tmp, only the owner of an entry can rename or remove it. */
function isSafeAbove(found: Stats): boolean {
  const shared = (found.mode & WRITABLE_BY_OTHERS) !== 0 && (found.mode & STICKY) === 0;
  return !shared && (isOwn(found) || found.uid === 0);
}

/** Where there are no user ids, the folder of the user's profile is the user's. */
function isOwn({ uid }: Stats): boolean {
  const own = process.getuid?.();
  return own === undefined || uid === own;
}
