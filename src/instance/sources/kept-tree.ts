/** What was below a folder when it was listed. Paths begin with a slash. */
export interface ListedTree {
  /** What it holds for. */
  readonly facts: string;
  /** When it was listed, in milliseconds. */
  readonly at: number;
  /** Below the folder. */
  readonly folders: readonly string[];
  /**
   * Of the folder itself and of each one below its number in the file system, and when it was last changed, which no program can set.
   */
  readonly marks: readonly (readonly [inode: number, changed: number])[];
  readonly datafiles: readonly string[];
  readonly links: readonly string[];
  /** Everything else that is no folder. */
  readonly others: readonly string[];
}

/** What was listed, as it is read from bytes: thousands of paths become texts only when they are needed. */
export interface KeptTree extends Pick<ListedTree, 'facts' | 'at' | 'datafiles' | 'links' | 'others'> {
  everyFolder(check: (path: string, inode: number, changed: number) => boolean): boolean;
}

const NUMBER_BYTES = Float64Array.BYTES_PER_ELEMENT;

interface Head {
  readonly facts: string;
  readonly at: number;
  readonly count: number;
  readonly lengths: readonly number[];
}

/** Numbers first, then texts, then what says where each begins, and how long that is. */
export function treeBytes({ facts, at, folders, marks, datafiles, links, others }: ListedTree): Buffer {
  const numbers = Buffer.from(Float64Array.from(marks.flat()).buffer);
  const texts = [folders, datafiles, links, others].map((paths) => Buffer.from(paths.join('/')));
  const head: Head = { facts, at, count: marks.length, lengths: texts.map(({ length }) => length) };
  const end = Buffer.from(JSON.stringify(head));
  const size = Buffer.alloc(NUMBER_BYTES);
  size.writeDoubleLE(end.length);
  return Buffer.concat([numbers, ...texts, end, size]);
}

/** @param bytes from `treeBytes`, whole. */
export function keptTree(bytes: Buffer): KeptTree {
  const headEnd = bytes.length - NUMBER_BYTES;
  const headStart = headEnd - bytes.readDoubleLE(headEnd);
  const { facts, at, count, lengths } = JSON.parse(bytes.toString('utf8', headStart, headEnd)) as Head;
  let place = 2 * count * NUMBER_BYTES;
  const [folders = '', datafiles = '', links = '', others = ''] = lengths.map((length) => {
    place += length;
    return bytes.toString('utf8', place - length, place);
  });
  const numberAt = (index: number): number => bytes.readDoubleLE(index * NUMBER_BYTES);
  return {
    facts,
    at,
    datafiles: pathsIn(datafiles),
    links: pathsIn(links),
    others: pathsIn(others),
    everyFolder: (check) =>
      check('', numberAt(0), numberAt(1)) &&
      everyPath(folders, (path, index) => check(path, numberAt(2 * index + 2), numberAt(2 * index + 3))),
  };
}

function pathsIn(text: string): string[] {
  const paths: string[] = [];
  everyPath(text, (path) => paths.push(path) > 0);
  return paths;
}

/** One at a time: thousands of texts at once would outlive a collection of garbage. No path has two slashes in a row. */
function everyPath(text: string, check: (path: string, index: number) => boolean): boolean {
  let start = 0;
  for (let index = 0; start < text.length; index += 1) {
    const next = text.indexOf('//', start);
    const end = next === -1 ? text.length : next;
    if (!check(text.slice(start, end), index)) return false;
    start = end + 1;
  }
  return true;
}
