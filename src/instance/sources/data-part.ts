import { MAX_DATAFILE_BYTES } from '../oversize.ts';
import { type FileBytes, readBytes } from './file-bytes.ts';
import { type Tree, walkTree } from './walk-tree.ts';

export const DATAFILE: RegExp = /\.(?:ya?ml|json)$/;

/** A part of the datafiles of an instance with their bytes. */
export interface DataPart extends Tree, FileBytes {}

/** What to read: the folder of the data, and paths below it. */
export interface PartTask {
  readonly folder: string;
  readonly starts: readonly string[];
}

/** Undefined for what cannot be held. */
export function readPart({ folder, starts }: PartTask): DataPart | undefined {
  return withBytes(walkTree(folder, starts));
}

export function withBytes({ files, problems }: Tree): DataPart | undefined {
  const datafiles = files.filter(({ path }) => DATAFILE.test(path));
  const read = readBytes(
    datafiles.map(({ location }) => location),
    MAX_DATAFILE_BYTES,
  );
  return read === undefined ? undefined : { files: datafiles, problems, ...read };
}
