import { hash } from 'node:crypto';
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_DATAFILE_BYTES } from '../oversize.ts';
import { type EnvBytes, readEnvBytes } from './env-bytes.ts';
import { type Tree, type TreeFile, walkTree } from './walk-tree.ts';

export const DATAFILE: RegExp = /\.(?:ya?ml|json)$/;

/** What is held of an instance at once; a larger one is read file by file. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
const FIRST_BYTES = 1024 * 1024;

/** Every byte of an instance that a load reads, as it was at one time. */
export interface HeldFiles {
  readonly data: Tree;
  readonly resources?: Tree;
  readonly env: EnvBytes;
  readonly bytesOf: (file: TreeFile) => Buffer;
  /** Differs when a path, a byte or a problem with reading differs. */
  readonly fingerprint: string;
}

/** A file, and the size beyond which it is not read on. */
type SizedFile = TreeFile & { readonly most?: number };

/** Undefined for what cannot be read or is too large. */
export function holdFiles(root: string): HeldFiles | undefined {
  const data = walkTree(join(root, 'data'));
  const resources = existsSync(join(root, 'resources')) ? walkTree(join(root, 'resources')) : undefined;
  const env = readEnvBytes(root);
  const datafiles = data.files
    .filter(({ path }) => DATAFILE.test(path))
    .map((file) => ({ ...file, most: MAX_DATAFILE_BYTES }));
  const held = holdAll([...datafiles, ...(resources?.files ?? [])]);
  if (held === undefined) return undefined;
  const facts = [
    data.problems,
    resources?.problems,
    resources?.files.length,
    env.problem,
    env.bytes?.toString('base64'),
  ];
  return {
    ...{ data, env, bytesOf: held.bytesOf },
    ...(resources === undefined ? {} : { resources }),
    fingerprint: hash('sha256', JSON.stringify([facts, held.fingerprint])),
  };
}

/** Differs when a path or a byte below a folder, or of a file, differs; undefined for what cannot be read or is too large. */
export function fingerprintOf(location: string): string | undefined {
  try {
    const whole = holdAll([{ path: '', location }]);
    if (whole !== undefined) return whole.fingerprint;
    const { files, problems } = walkTree(location);
    const held = holdAll(files);
    return held === undefined ? undefined : hash('sha256', JSON.stringify([problems, held.fingerprint]));
  } catch {
    return undefined;
  }
}

function holdAll(files: readonly SizedFile[]): Pick<HeldFiles, 'bytesOf' | 'fingerprint'> | undefined {
  let buffer: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  const places = new Map<string, readonly [number, number]>();
  const sizes: (string | number)[] = [];
  let end = 0;
  for (const { path, location, most = MAX_HELD_BYTES } of files) {
    const start = end;
    let read = readInto(buffer, start, location, most);
    while (read === 'full' && buffer.length < MAX_HELD_BYTES) {
      buffer = grown(buffer, start);
      read = readInto(buffer, start, location, most);
    }
    if (typeof read !== 'number') return undefined;
    end += read;
    places.set(location, [start, end]);
    sizes.push(path, read);
  }
  const all = buffer;
  return {
    bytesOf: ({ location }) => all.subarray(...(places.get(location) ?? [0, 0])),
    fingerprint: hash('sha256', JSON.stringify([sizes, hash('sha256', buffer.subarray(0, end))])),
  };
}

function grown(buffer: Buffer, end: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(buffer.length * 2);
  buffer.copy(larger, 0, 0, end);
  return larger;
}

/** The number of bytes that a file has, or why they are not in the buffer. */
function readInto(buffer: Buffer, start: number, location: string, most: number): number | 'full' | 'unreadable' {
  let file: number | undefined;
  try {
    file = openSync(location, 'r');
    let end = start;
    while (end < buffer.length) {
      const more = readSync(file, buffer, end, buffer.length - end, null);
      if (more === 0) return end - start;
      end += more;
      if (end - start > most) return 'unreadable';
    }
    return 'full';
  } catch {
    return 'unreadable';
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
