import { readFileSync, type Stats, statfsSync, statSync } from 'node:fs';
import { normalize } from 'node:path';
import type { BytesStore } from '../kept-values.ts';
import { sealed, unsealed } from '../sealed.ts';
import { DATAFILE, inParts } from './data-part.ts';
import { type KeptTree, keptTree, printOf, treeBytes } from './kept-tree.ts';
import { hasMountBelow } from './mounts.ts';
import { treeKey } from './tree-key.ts';
import { type TreeProblem, walkFolders } from './walk-tree.ts';

/** The coarsest clock of the file systems below counts seconds. */
const SETTLED_AFTER_MS = 2_000;

/** Local ones, where a folder gets a new time whenever a name in it changes: ext2 to ext4, XFS, Btrfs, ZFS, tmpfs. */
const KEEPS_TIMES: readonly number[] = [0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0x01021994];

/** Where to remember what was listed. */
export interface TreeMemory {
  readonly store: BytesStore;
  /** Names exactly the code that runs. */
  readonly code: string;
  /** Milliseconds, by the clock that gives folders their times. */
  readonly now: number;
}

/** Paths below a folder. */
export interface Listing {
  /** Datafiles, joined in parts. */
  readonly parts: readonly string[];
  /** Of all parts. */
  readonly print: string;
  readonly links: readonly string[];
  /** Everything else that is no folder: what is no datafile, and what is skipped. */
  readonly others: readonly string[];
  readonly problems: readonly TreeProblem[];
}

/** What was below a folder when it was last listed. */
export interface TreeBefore extends Omit<Listing, 'problems'> {
  /** Whether it would be listed the same now. */
  isUnchanged(): boolean;
}

/** Undefined when nothing is known, or cannot be known in this file system. */
export function treeBefore({ store, code, now }: TreeMemory, location: string): TreeBefore | undefined {
  if (!KEEPS_TIMES.includes(statfsSync(location).type) || hasMountBelow(location)) return undefined;
  const kept = keptBefore(store, treeKey(location));
  if (kept?.facts !== factsOf(location, code) || kept.at > now) return undefined;
  const start = normalize(location);
  const isSame = (path: string, inode: number, changed: number): boolean => {
    const found = statSync(start + path);
    return found.ino === inode && found.ctimeMs === changed;
  };
  return {
    parts: kept.parts,
    print: kept.print,
    links: kept.links,
    others: kept.others,
    isUnchanged: () => {
      try {
        return kept.everyFolder(isSame);
      } catch {
        return false;
      }
    },
  };
}

/** Other code may have kept it in another form. */
function keptBefore(store: BytesStore, key: string): KeptTree | undefined {
  const body = unsealed(store.getBytes(key));
  try {
    return body && keptTree(body);
  } catch {
    return undefined;
  }
}

/** Lists what is below a folder, and remembers it where the folders' times will show each change. */
export function listTree(location: string, memory?: TreeMemory): Listing {
  const found: (Stats | undefined)[] = [];
  // Before the names are read: what changes in between shows the next time.
  const look = (folder: string) => found.push(statOf(folder));
  const { folders, files, links, skipped, problems } = walkFolders(location, memory && look);
  const paths = files.map(({ path }) => path);
  const parts = inParts(paths.filter((path) => DATAFILE.test(path)));
  const others = [...paths.filter((path) => !DATAFILE.test(path)), ...skipped];
  if (memory !== undefined && problems.length === 0 && found.every((each) => isSettled(each, found[0], memory.now))) {
    const bytes = treeBytes({
      ...{ facts: factsOf(location, memory.code), at: memory.now, folders: folders.slice(1) },
      ...{ parts, links, others },
      marks: found.map((each) => [each?.ino ?? 0, each?.ctimeMs ?? 0]),
    });
    memory.store.setBytes(treeKey(location), sealed(bytes));
  }
  return { parts, print: printOf(parts), links, others, problems };
}

/** Undefined for a folder that cannot be reached, which the walk reports. */
function statOf(folder: string): Stats | undefined {
  try {
    return statSync(folder);
  } catch {
    return undefined;
  }
}

/** Whatever changes from now on in this folder gets another time than it has. */
function isSettled(found: Stats | undefined, root: Stats | undefined, now: number): boolean {
  return found !== undefined && found.dev === root?.dev && found.ctimeMs < now - SETTLED_AFTER_MS;
}

/** What a listing holds for. Two users, or one in other groups or with other capabilities, may not see the same. */
function factsOf(location: string, code: string): string {
  return JSON.stringify([code, statSync(location).dev, rights()]);
}

function rights(): readonly string[] {
  try {
    return readFileSync('/proc/self/status', 'utf8').match(/^(?:Uid|Gid|Groups|CapEff):.*$/gm) ?? [];
  } catch {
    return [];
  }
}
