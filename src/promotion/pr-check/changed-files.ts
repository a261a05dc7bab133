import { byText } from '../../base/index.ts';

/** One path that differs between two commits, as git tells it; from the top of the repository. */
export interface FileChange {
  readonly path: string;
  readonly change: 'added' | 'modified' | 'deleted' | 'renamed';
  /** The old path of a renamed file. */
  readonly from?: string;
}

/** What part of a repository a file belongs to, and so what a change of it can mean. */
export type Area = 'data' | 'resource' | 'env' | 'docs' | 'other';

export interface ChangedFile {
  /** From the root of the instance; what is outside of it begins with `../`. */
  readonly file: string;
  readonly change: 'added' | 'modified' | 'deleted';
  readonly area: Area;
  /** By which others refer to it: below `data/` or `resources/`, with a leading slash. */
  readonly path?: string;
}

const DATAFILE = /\.(?:ya?ml|json)$/;
const DOCS = /^docs\/|(?:^|\/)(?:README|LICENSE|CHANGELOG|CONTRIBUTING)$|\.(?:md|markdown|adoc|rst)$/i;

/**
 * The changes of a repository as changes of an instance, ordered by file. A renamed file is one that went and one that came:
 * others refer to files by path.
 *
 * @param folder of the instance in the repository, with slashes; empty when it is the repository.
 */
export function changedFiles(changes: readonly FileChange[], folder: string): ChangedFile[] {
  const files = new Map<string, ChangedFile>();
  const add = (path: string, change: ChangedFile['change']): void => {
    const file = { change, ...placed(path, folder) };
    files.set(file.file, file);
  };
  for (const { path, change, from } of changes) {
    if (change === 'renamed') {
      if (from !== undefined) add(from, 'deleted');
      add(path, 'added');
    } else {
      add(path, change);
    }
  }
  return [...files.values()].sort((a, b) => byText(a.file, b.file));
}

function placed(path: string, folder: string): Pick<ChangedFile, 'file' | 'area' | 'path'> {
  const prefix = folder === '' ? '' : `${folder}/`;
  if (!path.startsWith(prefix)) {
    return { file: `${'../'.repeat(folder.split('/').length)}${path}`, area: docsOr(path) };
  }
  const file = path.slice(prefix.length);
  if (file === '.env') return { file, area: 'env' };
  const [top = '', ...rest] = file.split('/');
  const hidden = rest.some((name) => name.startsWith('.'));
  const below = `/${rest.join('/')}`;
  if (top === 'data' && rest.length > 0 && !hidden && DATAFILE.test(file)) return { file, area: 'data', path: below };
  if (top === 'resources' && rest.length > 0 && !hidden) return { file, area: 'resource', path: below };
  return { file, area: docsOr(file) };
}

function docsOr(path: string): Area {
  return DOCS.test(path) ? 'docs' : 'other';
}
