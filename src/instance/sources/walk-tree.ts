import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { normalize, sep } from 'node:path';
import { byText, messageOf } from '../../base/index.ts';
import type { Problem } from '../problem.ts';

export interface TreeFile {
  /** Below the root, with a leading slash. */
  readonly path: string;
  readonly location: string;
}

type TreeProblem = Omit<Problem, 'file'> & { readonly path: string };

export interface Tree {
  readonly files: readonly TreeFile[];
  readonly problems: readonly TreeProblem[];
}

/**
 * Files below a folder, ordered by path. Names that start with a dot are skipped, as by the existing bundler.
 * A link to a file inside the folder is followed; one to outside is rejected, so that an instance cannot include
 * files of the local machine; a link to a folder is not followed.
 *
 * @param starts where to begin, as paths below the root.
 */
export function walkTree(root: string, starts: readonly string[] = ['']): Tree {
  const { files, problems, visit } = walkOf(root);
  const deeper = (path: string): void => visit(path, deeper);
  for (const path of starts) deeper(path);
  return { files: ordered(files), problems };
}

/**
 * The files of the upper folders, and the folders below them that were not looked into: at least so many, or none when there are
 * fewer. The same tree always gives the same.
 */
export function walkTop(root: string, atLeast: number): Tree & { readonly below: readonly string[] } {
  const { files, problems, visit } = walkOf(root);
  let below = [''];
  while (below.length > 0 && below.length < atLeast) {
    const next: string[] = [];
    for (const path of below) visit(path, (folder) => next.push(folder));
    below = next;
  }
  return { files: ordered(files), problems, below };
}

function ordered(files: readonly TreeFile[]): TreeFile[] {
  return files.toSorted((a, b) => byText(a.path, b.path));
}

/** Looks into one folder after the other. */
function walkOf(root: string) {
  const files: TreeFile[] = [];
  const problems: TreeProblem[] = [];
  const realRoot = realpathSync(root);
  // Not joined path by path: an instance has thousands, and what is appended needs no normalising.
  const start = normalize(root);
  const visit = (path: string, onFolder: (path: string) => void): void => {
    for (const entry of entriesOf(start + path, path, problems)) {
      const below = `${path}/${entry.name}`;
      if (entry.isFile()) files.push({ path: below, location: start + below });
      else if (entry.isDirectory()) onFolder(below);
      else if (entry.isSymbolicLink()) linked(below);
    }
  };
  const linked = (path: string): void => {
    const refused = refuseLink(start + path, realRoot);
    if (refused === undefined) files.push({ path, location: start + path });
    else problems.push({ ...refused, path });
  };
  return { files, problems, visit };
}

function entriesOf(location: string, path: string, problems: TreeProblem[]): Dirent[] {
  try {
    return readdirSync(location, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'));
  } catch (thrown) {
    problems.push({
      path,
      rule: 'unreadable-file',
      severity: 'error',
      message: `cannot read the folder: ${messageOf(thrown)}`,
      hint: 'check its permissions',
    });
    return [];
  }
}

/** Why a link is not followed; undefined when it points to a file inside the folder. */
export function refuseLink(location: string, realRoot: string): Omit<TreeProblem, 'path'> | undefined {
  let target: string;
  try {
    target = realpathSync(location);
  } catch {
    return {
      rule: 'symlink-broken',
      severity: 'error',
      message: 'the symbolic link is dangling',
      hint: 'fix or remove the link',
    };
  }
  if (target !== realRoot && !target.startsWith(realRoot + sep)) {
    return {
      rule: 'symlink-outside',
      severity: 'error',
      message: 'the symbolic link points outside the folder and is not followed',
      hint: 'copy the file here, or link to a file inside the folder',
    };
  }
  const found = statSync(target);
  if (found.isFile()) return undefined;
  return {
    rule: 'symlink-folder',
    severity: 'warning',
    message: `the symbolic link to a ${found.isDirectory() ? 'folder' : 'device or pipe'} is not followed`,
    hint: 'link the files one by one, or use the path of the folder itself',
  };
}
