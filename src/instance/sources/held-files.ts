import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { byText, defined } from '../../base/index.ts';
import { type DataPart, readPart, withBytes } from './data-part.ts';
import { type EnvBytes, readEnvBytes } from './env-bytes.ts';
import { readBytes } from './file-bytes.ts';
import { type Tree, type TreeFile, walkTop, walkTree } from './walk-tree.ts';

/** Every byte of an instance that a load reads, as it was at one time. */
export interface HeldFiles {
  readonly data: () => Tree;
  readonly resources?: Tree;
  readonly env: EnvBytes;
  readonly bytesOf: (file: TreeFile) => Buffer;
  /** Differs when a path, a byte or a problem with reading differs. */
  readonly fingerprint: string;
}

/** Undefined for what cannot be read or is too large. */
export async function holdFiles(root: string): Promise<HeldFiles | undefined> {
  const parts = await dataParts(join(root, 'data'));
  const resources = existsSync(join(root, 'resources')) ? walkTree(join(root, 'resources')) : undefined;
  const read = readBytes((resources?.files ?? []).map(({ location }) => location));
  const env = readEnvBytes(root);
  if (parts === undefined || read === undefined) return undefined;
  const facts = [resources?.problems, env.problem, env.bytes?.toString('base64')];
  const all: readonly DataPart[] = [...parts, { files: resources?.files ?? [], problems: [], ...read }];
  return {
    data: () => joined(parts),
    ...defined({ resources }),
    env,
    bytesOf: lookup(all),
    fingerprint: hash('sha256', JSON.stringify([facts, all.map(partPrint)])),
  };
}

/** Folders from which on a second thread pays: it takes as long to start as this one needs for a few hundred. */
const FOLDERS_FOR_TWO = 400;
/** Of the work that remains then: the other thread begins later. */
const SHARE_HERE = 0.56;

/** Walking thousands of folders is work of the kernel, which two threads share. */
async function dataParts(folder: string): Promise<DataPart[] | undefined> {
  const { below, ...top } = walkTop(folder, FOLDERS_FOR_TWO);
  const split = Math.ceil(below.length * SHARE_HERE);
  const tasks = [below.slice(0, split), below.slice(split)].map((starts) => ({ folder, starts }));
  const [here, there] = tasks;
  if (below.length === 0 || here === undefined || there === undefined) return whole([withBytes(top)]);
  const { readBeside } = await import('./read-beside.ts');
  const beside = readBeside(there);
  const parts = [withBytes(top), readPart(here)];
  return whole([...parts, (await beside) ?? readPart(there)]);
}

function whole(parts: readonly (DataPart | undefined)[]): DataPart[] | undefined {
  const read = parts.filter((part) => part !== undefined);
  return read.length === parts.length ? read : undefined;
}

/** In the order of one walk. */
function joined(parts: readonly DataPart[]): Tree {
  const files = parts.flatMap((part) => part.files).sort((a, b) => byText(a.path, b.path));
  return { files, problems: parts.flatMap(({ problems }) => problems) };
}

function partPrint({ files, problems, sizes, bytes }: DataPart): unknown[] {
  return [files.map(({ path }) => path), problems, sizes, hash('sha256', bytes)];
}

/** Built when the first file is asked for: a kept answer needs none. */
function lookup(parts: readonly DataPart[]): (file: TreeFile) => Buffer {
  let places: ReadonlyMap<string, Buffer> | undefined;
  return ({ location }) => {
    places ??= new Map(parts.flatMap(placesIn));
    return places.get(location) ?? Buffer.alloc(0);
  };
}

function placesIn({ files, sizes, bytes }: DataPart): [string, Buffer][] {
  let end = 0;
  return files.map(({ location }, index) => {
    const start = end;
    end += sizes[index] ?? 0;
    return [location, bytes.subarray(start, end)];
  });
}

/** Differs when a path or a byte below a folder, or of a file, differs; undefined for what cannot be read or is too large. */
export function fingerprintOf(location: string): string | undefined {
  const file = readBytes([location]);
  if (file !== undefined) return hash('sha256', file.bytes);
  try {
    const { files, problems } = walkTree(location);
    const read = readBytes(files.map((each) => each.location));
    return read && hash('sha256', JSON.stringify(partPrint({ files, problems, ...read })));
  } catch {
    return undefined;
  }
}
