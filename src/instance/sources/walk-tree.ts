import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { normalize, sep } from 'node:path';
import { byText, messageOf } from '../../base/index.ts';
import type { Problem } from '../problem.ts';

export interface TreeFile {
  /** Below the root, with a leading slash. */
  readonly path: string;
  readonly location: string;
}

export interface Tree {
  readonly files: readonly TreeFile[];
  /** Their files are paths below the root, with a leading slash. */
  readonly problems: readonly Problem[];
}

/**
 * Files below a folder, ordered by path. Names that start with a dot are skipped, as by the existing bundler.
 * A link to a file inside the folder is followed; one to outside is rejected, so that an instance cannot include
 * files of the local machine; a link to a folder is not followed.
 */
export function walkTree(root: string): Tree {
  const files: TreeFile[] = [];
  const problems: Problem[] = [];
  const start = normalize(root);
  const realRoot = realpathSync(root);
  const walk = (folder: string): void => {
    for (const entry of entriesOf(start + folder, folder, problems))
      if (!entry.name.startsWith('.')) visit(entry, `${folder}/${entry.name}`);
  };
  const visit = (entry: Dirent, path: string): void => {
    if (entry.isFile()) files.push({ path, location: start + path });
    else if (entry.isDirectory()) walk(path);
    else if (entry.isSymbolicLink()) follow({ path, location: start + path });
  };
  const follow = (link: TreeFile): void => {
    const refused = refuseLink(link.location, realRoot);
    if (refused === undefined) files.push(link);
    else problems.push({ ...refused, file: link.path });
  };
  walk('');
  return { files: files.toSorted((a, b) => byText(a.path, b.path)), problems };
}

function entriesOf(location: string, path: string, problems: Problem[]): Dirent[] {
  try {
    return readdirSync(location, { withFileTypes: true });
  } catch (thrown) {
    problems.push({
      file: path,
      rule: 'unreadable-file',
      severity: 'error',
      message: `cannot read the folder: ${messageOf(thrown)}`,
      hint: 'check its permissions',
    });
    return [];
  }
}

/** Why a link is not followed; undefined when it points to a file inside the folder. */
export function refuseLink(location: string, realRoot: string): Omit<Problem, 'file'> | undefined {
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
