import { byText } from '../../base/index.ts';

/** A path that differs between two commits, as reported by git, relative to the repository root. */
export interface FileChange {
  readonly path: string;
  readonly change: 'added' | 'modified' | 'deleted' | 'renamed';
  /** The old path of a renamed file. */
  readonly from?: string;
}

/** The part of the repository that a file belongs to, which decides what a change affects. */
type Area = 'data' | 'resource' | 'env' | 'docs' | 'other';

export interface ChangedFile {
  /** Relative to the instance root; files outside start with `../`. */
  readonly file: string;
  readonly change: 'added' | 'modified' | 'deleted';
  readonly area: Area;
  /** The path used in references: below `data/` or `resources/`, with a leading slash. */
  readonly path?: string;
}

const DATAFILE = /\.(?:ya?ml|json)$/;
const DOCS = /^docs\/|(?:^|\/)(?:README|LICENSE|CHANGELOG|CONTRIBUTING)$|\.(?:md|markdown|adoc|rst)$/i;

/**
 * The repository changes as instance changes, ordered by file. A rename is a deletion and an addition, since files are
 * referenced by path.
 *
 * @param folder of the instance in the repository, with slashes; empty for the repository root.
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
