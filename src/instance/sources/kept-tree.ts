import { hash } from 'node:crypto';
import { everyPath, joinPaths, splitPaths } from './joined-paths.ts';

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
  /** Datafiles, joined in parts. */
  readonly parts: readonly string[];
  readonly links: readonly string[];
  /** Everything else that is no folder. */
  readonly others: readonly string[];
}

/** What was listed, as it is read from bytes: thousands of paths become texts only when they are needed. */
export interface KeptTree extends Pick<ListedTree, 'facts' | 'at' | 'parts' | 'links' | 'others'> {
  /** Of all parts. */
  readonly print: string;
  everyFolder(check: FolderCheck): boolean;
}

type FolderCheck = (path: string, inode: number, changed: number) => boolean;

const NUMBER_BYTES = Float64Array.BYTES_PER_ELEMENT;

interface Head {
  readonly facts: string;
  readonly at: number;
  readonly count: number;
  /** Of the texts about folders, parts, links and others. */
  readonly lengths: readonly number[];
  /** Of each part. */
  readonly partLengths: readonly number[];
}

/** Numbers first, then texts, then what says where each begins, and how long that is. */
export function treeBytes({ facts, at, folders, marks, parts, links, others }: ListedTree): Buffer {
  const numbers = Buffer.from(Float64Array.from(marks.flat()).buffer);
  const texts = [folders, parts, links, others].map(bytesOf);
  const lengths = texts.map(({ length }) => length);
  const partLengths = parts.map((part) => Buffer.byteLength(part));
  const head: Head = { facts, at, count: marks.length, lengths, partLengths };
  const end = Buffer.from(JSON.stringify(head));
  const size = Buffer.alloc(NUMBER_BYTES);
  size.writeDoubleLE(end.length);
  return Buffer.concat([numbers, ...texts, end, size]);
}

/** @param bytes from `treeBytes`, whole. */
export function keptTree(bytes: Buffer): KeptTree {
  const headEnd = bytes.length - NUMBER_BYTES;
  const headStart = headEnd - bytes.readDoubleLE(headEnd);
  const { facts, at, count, lengths, partLengths } = JSON.parse(bytes.toString('utf8', headStart, headEnd)) as Head;
  const marks = numbersIn(bytes.subarray(0, 2 * count * NUMBER_BYTES));
  const [folders = bytes, parts = bytes, links = bytes, others = bytes] = divided(
    bytes.subarray(marks.byteLength),
    lengths,
    0,
  );
  const isSame = (check: FolderCheck, path: string, index: number): boolean =>
    check(path, marks[2 * index] ?? 0, marks[2 * index + 1] ?? 0);
  return {
    ...{ facts, at, parts: divided(parts, partLengths, 1).map(String) },
    ...{ links: splitPaths(String(links)), others: splitPaths(String(others)) },
    print: hash('sha256', parts),
    everyFolder: (check) =>
      isSame(check, '', 0) && everyPath(String(folders), (path, index) => isSame(check, path, index + 1)),
  };
}

/** Of parts, as if they had been kept. */
export function printOf(parts: readonly string[]): string {
  return hash('sha256', bytesOf(parts));
}

/** Parts are as different joined as what they are made of. */
function bytesOf(paths: readonly string[]): Buffer {
  return Buffer.from(joinPaths(paths));
}

/** @param between how many bytes there are between two. */
function divided(bytes: Buffer, lengths: readonly number[], between: number): Buffer[] {
  let next = 0;
  return lengths.map((length) => {
    const start = next;
    next += length + between;
    return bytes.subarray(start, start + length);
  });
}

/** Numbers are read where they are, which they can be only at every eighth byte of what holds them. */
function numbersIn(bytes: Buffer): Float64Array {
  const { buffer, byteOffset, length } = bytes.byteOffset % NUMBER_BYTES === 0 ? bytes : new Uint8Array(bytes);
  return new Float64Array(buffer, byteOffset, length / NUMBER_BYTES);
}
