import {
  closeSync,
  constants,
  fstatSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  type Stats,
  statfsSync,
  statSync,
} from 'node:fs';
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { messageOf, sha256Of } from '../base/index.ts';
import { writeAtomically } from './files/index.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Where Echelon keeps what it may lose: ECHELON_CACHE, else `echelon` in the user's cache folder. Undefined for a user without a home:
 * a fixed name below the temporary folder could be anybody's.
 */
export function cacheFolder(env: Env): string | undefined {
  if (env['ECHELON_CACHE']) return env['ECHELON_CACHE'];
  if (env['XDG_CACHE_HOME']) return join(env['XDG_CACHE_HOME'], 'echelon');
  const home = env['HOME'] ?? homeOfUser();
  return home === '' || home === '/' ? undefined : join(home, '.cache/echelon');
}

/** A folder of the cache that only this user can write to; undefined where there is none, and nothing is cached. */
export function privateCache(env: Env, name: string): string | undefined {
  const all = cacheFolder(env);
  const made = all === undefined ? undefined : privateFolder(join(all, name));
  return made !== undefined && 'folder' in made ? made.folder : undefined;
}

/** Empty for a user without a name, as OpenShift chooses them. */
function homeOfUser(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

/** Files kept; the ones not used for the longest time go first. */
const MAX_FILES = 500;

interface CacheLimits {
  /** Limit of all files together; never more than half of the file system. */
  readonly bytes: number;
  /** Since the last use. */
  readonly days: number;
}

/** Values by key. A cache may lose anything at any time. */
interface FileCache {
  get(key: string): unknown;
  set(key: string, value: object): void;
}

/**
 * JSON values by key, a file each: an unreadable file, or one that somebody else wrote, is as good as none, and a folder that
 * cannot be written to is no error. Values are written beside their place and moved there. A value has a hash of key and text before
 * it, so that neither half a value nor that of another key is returned.
 */
export function fileCache(folder: string, limits?: CacheLimits): FileCache {
  const read = (name: string): Buffer | undefined => {
    try {
      return ownBytes(join(folder, name));
    } catch {
      return undefined;
    }
  };
  const write = (name: string, content: string): void => {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeAtomically(join(folder, name), content, { mode: 0o600 });
      forgetOldest(folder, limits);
    } catch {
      // Without a cache everything still works.
    }
  };
  return {
    get: (key) => unsealed(key, read(`${key}.json`)?.toString('utf8')),
    set: (key, value) => write(`${key}.json`, sealed(key, JSON.stringify(value))),
  };
}

const HASH_DIGITS = 64;

function sealed(key: string, text: string): string {
  return `${hashOf(key, text)}\n${text}`;
}

function unsealed(key: string, content: string | undefined): unknown {
  const text = content?.slice(HASH_DIGITS + 1) ?? '';
  return content?.startsWith(`${hashOf(key, text)}\n`) === true ? JSON.parse(text) : undefined;
}

function hashOf(key: string, text: string): string {
  return sha256Of(`${key}\n${text}`);
}

/** Undefined if somebody else could have written the file. */
function ownBytes(location: string): Buffer | undefined {
  const file = openSync(location, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const found = fstatSync(file);
    if (!isOwn(found) || isOpen(found)) return undefined;
    markUsed(file);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** A file's time is that of its last use; in a folder that cannot be written to nothing is forgotten anyway. */
function markUsed(file: number): void {
  try {
    const now = new Date();
    futimesSync(file, now, now);
  } catch {
    // See above.
  }
}

function forgetOldest(folder: string, limits: CacheLimits | undefined): void {
  const files = readdirSync(folder).map((name) => join(folder, name));
  if (files.length <= MAX_FILES && limits === undefined) return;
  const newestFirst = files.map((file) => ({ file, ...used(file) })).sort((a, b) => b.time - a.time);
  const oldest = limits === undefined ? 0 : Date.now() - limits.days * DAY_MS;
  const maxBytes = Math.min(limits?.bytes ?? Number.POSITIVE_INFINITY, halfOfFileSystem(folder));
  let bytes = 0;
  for (const [index, { file, time, size }] of newestFirst.entries()) {
    bytes += size;
    const fits = index < MAX_FILES && bytes <= maxBytes && time >= oldest;
    if (!fits) rmSync(file, { force: true });
  }
}

/** Some file systems do not say how large they are. */
function halfOfFileSystem(folder: string): number {
  const { blocks, bsize } = statfsSync(folder);
  return (blocks * bsize) / 2 || Number.POSITIVE_INFINITY;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** A file that another process removed meanwhile takes no space. */
function used(file: string): { time: number; size: number } {
  const found = statSync(file, { throwIfNoEntry: false });
  return { time: found?.mtimeMs ?? 0, size: found?.size ?? 0 };
}

const WRITABLE_BY_GROUP_OR_OTHERS = 0o022;
const STICKY = 0o1000;
const ROOT = 0;

/** The real path of the folder, or why what lies in it may be from somebody else and must not be used. */
type PrivateFolder = { readonly folder: string } | { readonly fault: string };

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

/** Builds whose compiled code is kept. */
const MAX_BUILDS = 3;

/**
 * Lets Node keep the compiled code of a build in the user's cache folder. Node trusts what it finds there, so only a folder
 * that nobody else can write to will do; its own default, below /tmp, would not. NODE_COMPILE_CACHE is left alone.
 */
export function keepCompiled(build: string, env: Readonly<Record<string, string | undefined>>): void {
  if (env['NODE_COMPILE_CACHE'] || env['NODE_DISABLE_COMPILE_CACHE']) return;
  const all = privateCache(env, 'compiled');
  if (all === undefined) return;
  const location = join(all, build.slice(0, 16));
  const isNew = statSync(location, { throwIfNoEntry: false }) === undefined;
  const made = privateFolder(location);
  if ('folder' in made && (isNew || areAllOwn(made.folder))) enableCompileCache(made.folder);
  if (isNew) forgetOldBuilds(all);
}

/** A folder that was open to others once may still have files of theirs. */
function areAllOwn(folder: string): boolean {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).every((path) =>
      isOwn(lstatSync(join(folder, path))),
    );
  } catch {
    return false;
  }
}

/** Code of a build that still runs is compiled again. */
function forgetOldBuilds(all: string): void {
  try {
    const folders = readdirSync(all).map((name) => join(all, name));
    const byAge = folders.map((folder) => ({ folder, time: statSync(folder).mtimeMs })).sort((a, b) => b.time - a.time);
    for (const { folder } of byAge.slice(MAX_BUILDS)) rmSync(folder, { recursive: true, force: true });
  } catch {
    // Another process removes them too.
  }
}
