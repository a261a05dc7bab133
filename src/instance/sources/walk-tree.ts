import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { normalize, sep } from 'node:path';
import { byText, messageOf } from '../../base/index.ts';
import type { Problem } from '../problem.ts';

export interface TreeFile {
  /** Below the root, with a leading slash. */
  readonly path: string;
  readonly location: string;
}

export type TreeProblem = Omit<Problem, 'file'> & { readonly path: string };

export interface Tree {
  readonly files: readonly TreeFile[];
  readonly problems: readonly TreeProblem[];
}

/** What a walk found, in the order in which it went. */
export interface Walk {
  readonly folders: readonly string[];
  readonly files: readonly TreeFile[];
  readonly links: readonly string[];
  /** What is skipped: hidden names, pipes and devices. A folder ends with `/.`, which is the name of no file. */
  readonly skipped: readonly string[];
  readonly problems: readonly TreeProblem[];
}

/**
 * Files below a folder, ordered by path. Names that start with a dot are skipped, as by the existing bundler.
 * A link to a file inside the folder is followed; one to outside is rejected, so that an instance cannot include
 * files of the local machine; a link to a folder is not followed.
 */
export function walkTree(root: string): Tree {
  return treeOfWalk(root, walkFolders(root));
}

export function treeOfWalk(root: string, { files, links, problems }: Walk): Tree {
  const linked = followLinks(root, links);
  return { files: ordered([...files, ...linked.files]), problems: [...problems, ...linked.problems] };
}

export function ordered(files: readonly TreeFile[]): TreeFile[] {
  return files.toSorted((a, b) => byText(a.path, b.path));
}

/** @param onFolder called with each folder before its names are read. */
export function walkFolders(root: string, onFolder?: (location: string) => void): Walk {
  const folders: string[] = [];
  const files: TreeFile[] = [];
  const links: string[] = [];
  const skipped: string[] = [];
  const problems: TreeProblem[] = [];
  // Not joined path by path: an instance has thousands, and what is appended needs no normalising.
  const start = normalize(root);
  const take: Readonly<Record<Kind, (path: string) => void>> = {
    file: (path) => files.push({ path, location: start + path }),
    folder: (path) => {
      folders.push(path);
      onFolder?.(start + path);
      for (const entry of entriesOf(start + path, path, problems)) take[kindOf(entry)](`${path}/${entry.name}`);
    },
    link: (path) => links.push(path),
    skipped: (path) => skipped.push(path),
    'skipped folder': (path) => skipped.push(`${path}/.`),
  };
  take.folder('');
  return { folders, files, links, skipped, problems };
}

type Kind = 'file' | 'folder' | 'link' | 'skipped' | 'skipped folder';

function kindOf(entry: Dirent): Kind {
  if (entry.name.startsWith('.')) return entry.isDirectory() ? 'skipped folder' : 'skipped';
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'skipped';
}

export function followLinks(root: string, links: readonly string[]): Tree {
  const files: TreeFile[] = [];
  const problems: TreeProblem[] = [];
  const realRoot = realpathSync(root);
  for (const path of links) {
    const location = normalize(root) + path;
    const refused = refuseLink(location, realRoot);
    if (refused === undefined) files.push({ path, location });
    else problems.push({ ...refused, path });
  }
  return { files, problems };
}

function entriesOf(location: string, path: string, problems: TreeProblem[]): Dirent[] {
  try {
    return readdirSync(location, { withFileTypes: true });
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
