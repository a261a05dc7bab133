import { lstatSync, mkdirSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { messageOf } from '../../base/index.ts';

const WRITABLE_BY_GROUP_OR_OTHERS = 0o022;
const STICKY = 0o1000;
const ROOT = 0;

/** The real path of the folder, or why what lies in it may be from somebody else and must not be used. */
export type PrivateFolder = { readonly folder: string } | { readonly fault: string };

/**
 * Makes a folder whose content only this user can write or exchange: it belongs to this user and is writable to nobody else, and
 * every folder and link on the way to it belongs to this user or root. Folders on the way are writable to nobody else either, or have
 * the sticky bit, as /tmp has: then only the owner of an entry can rename or remove it. A group counts as others: every pod of OpenShift
 * is in the group of root. Nothing is created where the way is not safe.
 */
export function privateFolder(path: string): PrivateFolder {
  const folder = resolve(path);
  try {
    const fault = faultOnWay(existing(folder));
    if (fault !== undefined) return { fault };
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const made = faultOnWay(dirname(folder)) ?? faultOf(folder);
    return made === undefined ? { folder: realpathSync(folder) } : { fault: made };
  } catch (thrown) {
    return { fault: messageOf(thrown) };
  }
}

/** Whether a file or folder belongs to this user; yes where there are no user ids. */
export function isOwn({ uid }: Stats): boolean {
  return uid === (process.getuid?.() ?? uid);
}

/** Whether others can write to a file or folder; not known where there are no user ids. */
export function isOpen({ mode }: Stats): boolean {
  return process.getuid !== undefined && (mode & WRITABLE_BY_GROUP_OR_OTHERS) !== 0;
}

function faultOf(folder: string): string | undefined {
  const found = lstatSync(folder);
  if (!found.isDirectory()) return `${folder} is not a directory`;
  if (!isOwn(found)) return `${folder} ${FOREIGN}`;
  return isOpen(found) ? `${folder} ${OPEN}` : undefined;
}

const FOREIGN = 'belongs to another user';
const OPEN = 'is writable to other users';

/** Folders that contain the program need no check: who can write to them can exchange the program. */
function faultOnWay(path: string): string | undefined {
  const parent = dirname(path);
  if (path === parent || `${import.meta.dirname}${sep}`.startsWith(`${path}${sep}`)) return undefined;
  const above = faultOnWay(parent);
  if (above !== undefined) return above;
  const found = lstatSync(path);
  if (!isOwn(found) && found.uid !== ROOT) return `${path} ${FOREIGN}`;
  if (found.isSymbolicLink()) return faultOnWay(resolve(realpathSync(parent), readlinkSync(path)));
  return isOpen(found) && (found.mode & STICKY) === 0 ? `${path} ${OPEN}` : undefined;
}

/** The part of a path that exists. Throws for links that lead nowhere or in a circle. */
function existing(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return existing(dirname(path));
  realpathSync(path);
  return path;
}
