import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { EchelonError } from '../../base/index.ts';
import { identityText, isRunning, ownIdentity, type ProcessIdentity, parseIdentity } from '../process/index.ts';
import { type Disk, writeNew } from './files.ts';

/** A file of a change that is under way. */
export interface JournalEntry {
  /** Relative to the top folder. */
  readonly file: string;
  readonly before: Uint8Array;
  /** Hash of the new content. */
  readonly after: string;
}

/** A change takes milliseconds: a journal this old, of a process that cannot be seen from here, is left over. */
const STALE_JOURNAL_MS = 60_000;

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Writes the journal of a change before its first file is touched; its name says which process it belongs to. */
export function writeJournal(place: JournalLocation, entries: readonly JournalEntry[], disk: Disk): string {
  const path = ownJournal(place);
  const written = entries.map(({ file, before, after }) => ({
    file,
    before: Buffer.from(before).toString('base64'),
    after,
  }));
  writeNew(disk, path, JSON.stringify({ version: 1, entries: written }), { mode: 0o600, durable: true });
  try {
    for (const journal of journalsIn(place)) requireEnded(place, journal);
  } catch (thrown) {
    disk.rmSync(path, { force: true });
    throw thrown;
  }
  return path;
}

/**
 * Takes over the journal of a process that ended before it was done. It is renamed to this process, so that of two
 * that find it only one gets it. A journal of a running process is an error.
 */
export function claimJournal(place: JournalLocation, disk: Disk): string | undefined {
  const found = journalsIn(place).sort((a, b) => Number(isOwn(b.holder)) - Number(isOwn(a.holder)));
  const mine = ownJournal(place);
  for (const journal of found) {
    requireEnded(place, journal);
    const path = join(place.folder, journal.name);
    try {
      if (path !== mine) disk.renameSync(path, mine);
      return mine;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
    }
  }
  return undefined;
}

/** The entries of a journal; none of one that was not written to its end, before which no file is touched. */
export function readJournal(path: string): readonly JournalEntry[] {
  const text = readFileSync(path, 'utf8');
  let parsed: { version?: unknown; entries?: readonly { file: string; before: string; after: string }[] };
  try {
    parsed = JSON.parse(text);
  } catch {
    return [];
  }
  if (parsed.version !== 1 || !Array.isArray(parsed.entries)) throw unknownFormat(path);
  return parsed.entries.map(({ file, before, after }) => ({ file, before: Buffer.from(before, 'base64'), after }));
}

interface FoundJournal {
  readonly name: string;
  readonly holder: ProcessIdentity;
}

/** A folder that cannot be read has none; writing there says why. */
function journalsIn({ folder, prefix }: JournalLocation): FoundJournal[] {
  return namesIn(folder).flatMap((name) => {
    const holder = name.startsWith(prefix) ? parseIdentity(name.slice(prefix.length)) : undefined;
    return holder === undefined ? [] : [{ name, holder }];
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function ownJournal({ folder, prefix }: JournalLocation): string {
  return join(folder, `${prefix}${identityText(ownIdentity())}`);
}

function isOwn(holder: ProcessIdentity): boolean {
  return identityText(holder) === identityText(ownIdentity());
}

function requireEnded({ top, folder }: JournalLocation, { name, holder }: FoundJournal): void {
  if (isOwn(holder)) return;
  const running = isRunning(holder);
  if (running === false) return;
  const path = join(folder, name);
  const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  if (running === undefined && (written === undefined || Date.now() - written > STALE_JOURNAL_MS)) return;
  const where = running === undefined ? ' on another machine or in another container' : '';
  throw new EchelonError({
    code: 'WRITE_UNDER_WAY',
    message: `process ${holder.pid}${where} is changing files in ${top} (${relative(top, path)}). Nothing was changed`,
    hint: 'wait for it to finish and run the command again',
  });
}

function unknownFormat(path: string): EchelonError {
  return new EchelonError({
    code: 'WRITE_FAILED',
    message: `${path} is not a journal that this version of Echelon can read. Nothing was changed`,
    hint: 'update Echelon; if it was not written by Echelon, remove it',
  });
}

/** Location of the journals of changes below a folder. */
export interface JournalLocation {
  /** Paths in a journal are relative to this folder. */
  readonly top: string;
  readonly folder: string;
  /** Prefix of a journal's file name. */
  readonly prefix: string;
}

/** The git folder of the repository, where a journal is no untracked file; without a repository, the folder itself. */
export function journalLocation(root: string): JournalLocation {
  const absolute = resolve(root);
  for (let top = absolute; ; top = dirname(top)) {
    const folder = gitFolder(top);
    if (folder !== undefined) return { top, folder, prefix: 'echelon-edit-' };
    if (dirname(top) === top) return { top: absolute, folder: absolute, prefix: '.echelon-edit-' };
  }
}

/** The git folder of a clone; of a work tree or submodule, the one that its `.git` file names. */
function gitFolder(top: string): string | undefined {
  const path = join(top, '.git');
  try {
    if (statSync(path).isDirectory()) return path;
    const [, named] = /^gitdir: (.+)$/m.exec(readFileSync(path, 'utf8')) ?? [];
    const folder = named === undefined ? undefined : resolve(top, named);
    return folder !== undefined && existsSync(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}
