import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EchelonError } from '../../base/index.ts';
import { writeAtomically } from './files.ts';

/** Lists what an earlier render wrote, so that stale files can be told from foreign ones. */
const LEDGER = '.echelon-render.json';

interface Ledger {
  readonly apiVersion: 'echelon/v1';
  readonly kind: 'RenderLedger';
  readonly files: Readonly<Record<string, LedgerEntry>>;
}

/** A file as it was written, and the selection that it was written for. */
interface LedgerEntry extends FolderScope {
  readonly sha256: string;
}

/** Selection that the files were rendered for; everything when empty. */
interface FolderScope {
  readonly environment?: string;
  readonly upstream?: string;
}

export interface FolderOptions {
  readonly scope?: FolderScope;
  /** Files to keep because they could not be rendered this time. */
  readonly keep?: (file: string) => boolean;
  /** Whether so many of so many files may be removed; all of them when absent. */
  readonly mayRemove?: (removals: number, known: number) => boolean;
}

export interface FolderChanges {
  readonly written: readonly string[];
  readonly unchanged: readonly string[];
  readonly removed: readonly string[];
  /** Stale, but edited since by another process: left alone. */
  readonly kept: readonly string[];
  /** So many would have been removed, and are not. */
  readonly refused: number;
}

/**
 * Makes a folder hold these files: writes what differs, removes what an earlier render of the same or a narrower scope wrote
 * and this one does not, and leaves everything else alone.
 */
export function writeFolder(
  folder: string,
  files: ReadonlyMap<string, string>,
  { scope = {}, keep = () => false, mayRemove = () => true }: FolderOptions = {},
): FolderChanges {
  ensureFolder(folder);
  const earlier = readLedger(folder).files;
  const changes = { written: [] as string[], unchanged: [] as string[], removed: [] as string[], kept: [] as string[] };
  const known: Record<string, LedgerEntry> = Object.fromEntries(
    [...files].map(([file, text]) => [file, { sha256: hashOf(text), ...scope }]),
  );
  // Written down before it is done: what a killed render leaves behind is known to the next one.
  writeLedger(folder, { ...earlier, ...known });
  for (const [file, text] of files) {
    (writeIfChanged(folder, file, text) ? changes.written : changes.unchanged).push(file);
  }
  const stale = Object.entries(earlier).filter(([file]) => !files.has(file));
  const removable = stale.filter(([file, entry]) => !keep(file) && covers(scope, entry)).length;
  const allowed = mayRemove(removable, Object.keys(earlier).length);
  for (const [file, entry] of stale) {
    if (!allowed || keep(file) || !covers(scope, entry)) known[file] = entry;
    else if (currentHash(folder, file) === entry.sha256) removeFile(folder, file, changes.removed);
    else if (existsSync(join(folder, file))) changes.kept.push(file);
  }
  writeLedger(folder, known);
  return { ...changes, refused: allowed ? 0 : removable };
}

/** Folder by folder: the runtime's own way never ends where a folder cannot be made, such as below /proc. */
function ensureFolder(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  try {
    if (found === undefined) ensureFolder(dirname(folder));
    mkdirSync(folder);
  } catch (cause) {
    if (cause instanceof EchelonError) throw cause;
    throw new EchelonError({
      code: 'OUT_INVALID',
      message: `${folder} is not a directory and cannot be created: ${(cause as NodeJS.ErrnoException).code}`,
      hint: 'pass a directory with --out',
      cause,
    });
  }
}

function writeIfChanged(folder: string, file: string, text: string): boolean {
  if (currentHash(folder, file) === hashOf(text)) return false;
  replaceFile(join(folder, file), text);
  return true;
}

/** A render of one environment knows nothing of what another one has. */
function covers(scope: FolderScope, written: FolderScope): boolean {
  return (['environment', 'upstream'] as const).every(
    (part) => scope[part] === undefined || scope[part] === written[part],
  );
}

function readLedger(folder: string): Ledger {
  const location = join(folder, LEDGER);
  const empty: Ledger = { apiVersion: 'echelon/v1', kind: 'RenderLedger', files: {} };
  if (!existsSync(location)) return empty;
  try {
    const { files } = JSON.parse(readFileSync(location, 'utf8')) as Ledger;
    if (Object.entries(files).every(([file, entry]) => isInside(file) && typeof entry.sha256 === 'string'))
      return { ...empty, files };
  } catch {
    // Reported below, like a ledger of another form.
  }
  throw new EchelonError({
    code: 'LEDGER_INVALID',
    message: `${location} is not a valid ledger of an earlier render`,
    hint: 'restore it from version control, or remove it: then no stale files are removed',
  });
}

/** The ledger is a file that others can edit: it must not lead out of the folder. */
function isInside(file: string): boolean {
  return !file.startsWith('/') && !file.split('/').includes('..');
}

function writeLedger(folder: string, known: Readonly<Record<string, LedgerEntry>>): void {
  const files = Object.fromEntries(Object.entries(known).sort(([a], [b]) => (a < b ? -1 : 1)));
  const text = `${JSON.stringify({ apiVersion: 'echelon/v1', kind: 'RenderLedger', files }, undefined, 2)}\n`;
  if (currentHash(folder, LEDGER) !== hashOf(text)) replaceFile(join(folder, LEDGER), text);
}

function currentHash(folder: string, file: string): string | undefined {
  const location = join(folder, file);
  const isFile = statSync(location, { throwIfNoEntry: false })?.isFile() === true;
  return isFile ? hashOf(readFileSync(location, 'utf8')) : undefined;
}

function replaceFile(location: string, text: string): void {
  mkdirSync(dirname(location), { recursive: true });
  writeAtomically(location, text);
}

/** Folders that the file leaves empty go with it. */
function removeFile(folder: string, file: string, removed: string[]): void {
  rmSync(join(folder, file));
  removed.push(file);
  for (let parent = dirname(file); parent !== '.'; parent = dirname(parent)) {
    if (readdirSync(join(folder, parent)).length > 0) return;
    rmdirSync(join(folder, parent));
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
