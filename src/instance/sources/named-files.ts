import { hash } from 'node:crypto';
import { lstatSync, type Stats, statSync } from 'node:fs';
import { readBytes } from './file-bytes.ts';
import { partPrint } from './held-files.ts';
import { joinPaths } from './joined-paths.ts';
import { followLinks, walkFolders, walkTree } from './walk-tree.ts';

/**
 * Differs when a path or a byte below a folder, or of a file, differs. Undefined for what cannot be read or is too large, and for a pipe:
 * what was read from it is gone.
 */
export function fingerprintOf(location: string): string | undefined {
  try {
    const found = statSync(location);
    if (found.isDirectory()) return folderPrint(location);
    const file = found.isFile() ? readBytes([location]) : undefined;
    return file && `file ${hash('sha256', file.bytes)}`;
  } catch {
    return undefined;
  }
}

function folderPrint(location: string): string | undefined {
  const { files, problems } = walkTree(location);
  const read = readBytes(files.map((each) => each.location));
  const paths = joinPaths(files.map(({ path }) => path));
  return read && `folder ${hash('sha256', JSON.stringify([problems, partPrint({ paths, ...read })]))}`;
}

/**
 * Differs when a file, or something below a folder, was changed since, be it to what it was before: by the times of changes, which
 * no program can set. Undefined where these cannot be read.
 */
export function changesOf(location: string): string | undefined {
  const marks: number[] = [];
  const note = ({ dev, ino, ctimeMs }: Stats): unknown => marks.push(dev, ino, ctimeMs);
  const look = (place: string): unknown => note(statSync(place));
  try {
    // Of a link, which may have led elsewhere meanwhile, as well as of what it leads to.
    note(lstatSync(location));
    const { files, links } = walkFolders(location, look);
    for (const file of [...files, ...followLinks(location, links).files]) look(file.location);
    return marks.join(' ');
  } catch {
    return undefined;
  }
}
