import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { defined } from '../../base/index.ts';
import { DATAFILE, type DataPart, readPart, readParts } from './data-part.ts';
import { type EnvBytes, readEnvBytes } from './env-bytes.ts';
import { readBytes } from './file-bytes.ts';
import { allNames, listingNames, type Names, NO_NAMES, topNames, walkNames } from './instance-names.ts';
import { joinPaths, splitPaths } from './joined-paths.ts';
import { listTree, type TreeMemory, treeBefore } from './tree-before.ts';
import { followLinks, ordered, type Tree, type TreeFile, treeOfWalk, walkFolders } from './walk-tree.ts';

/** Every byte of an instance that a load reads, as it was at one time. */
export interface HeldFiles {
  readonly data: () => Tree;
  readonly resources?: Tree;
  readonly env: EnvBytes;
  readonly bytesOf: (file: TreeFile) => Buffer;
  /** Differs when a path, a byte or a problem with reading differs. */
  readonly fingerprint: string;
  /** Of all that was there below the root, read or not, but for folders; undefined where a folder could not be listed. */
  readonly names: Names | undefined;
}

/**
 * Undefined for what cannot be read or is too large.
 *
 * @param memory of what was listed before, where there is one.
 */
export function holdFiles(root: string, memory?: TreeMemory): HeldFiles | undefined {
  const data = holdData(join(root, 'data'), memory);
  const tops = topNames(root);
  const walk = existsSync(join(root, 'resources')) ? walkFolders(join(root, 'resources')) : undefined;
  const resources = walk && treeOfWalk(join(root, 'resources'), walk);
  const read = readBytes((resources?.files ?? []).map(({ location }) => location));
  const env = readEnvBytes(root);
  if (data === undefined || read === undefined) return undefined;
  const facts = [data.problems, resources?.problems, env.problem, env.bytes?.toString('base64')];
  const paths = joinPaths((resources?.files ?? []).map(({ path }) => path));
  return {
    data: () => treeOf(join(root, 'data'), data),
    ...defined({ resources }),
    env,
    bytesOf: lookup([
      [join(root, 'data'), [...data.parts, data.links]],
      [join(root, 'resources'), [{ paths, ...read }]],
    ]),
    fingerprint: hash(
      'sha256',
      JSON.stringify([
        facts,
        data.print,
        data.parts.map(bytesPrint),
        ...[data.links, { paths, ...read }].map(partPrint),
      ]),
    ),
    names: allNames(tops, data.names, walk === undefined ? NO_NAMES : walkNames(walk)),
  };
}

interface HeldData {
  readonly parts: readonly DataPart[];
  /** Of the paths of all parts. */
  readonly print: string;
  /** What links lead to. */
  readonly links: DataPart;
  readonly problems: Tree['problems'];
  /** Of everything but folders; undefined where one could not be listed. */
  readonly names: Names | undefined;
}

function holdData(folder: string, memory: TreeMemory | undefined): HeldData | undefined {
  const before = memory && treeBefore(memory, folder);
  const isUnchanged = before?.isUnchanged() === true;
  const listing = isUnchanged ? { ...before, problems: [] } : listTree(folder, memory);
  const linked = followLinks(folder, listing.links);
  const links = linked.files.map(({ path }) => path).filter((path) => DATAFILE.test(path));
  const read = readParts(normalize(folder), listing.parts, isUnchanged);
  const last = readPart(normalize(folder), joinPaths(links));
  const problems = [...listing.problems, ...linked.problems];
  const names = listing.problems.length > 0 ? undefined : listingNames(listing);
  return read && last && { parts: read, print: listing.print, links: last, problems, names };
}

/** In the order of one walk. */
function treeOf(folder: string, { parts, links, problems }: HeldData): Tree {
  const start = normalize(folder);
  const files = [...parts, links].flatMap(({ paths }) =>
    splitPaths(paths).map((path) => ({ path, location: start + path })),
  );
  return { files: ordered(files), problems };
}

export function partPrint(part: DataPart): unknown[] {
  return [part.paths, ...bytesPrint(part)];
}

function bytesPrint({ sizes, bytes }: DataPart): unknown[] {
  return [sizes, hash('sha256', bytes)];
}

/** Built when the first file is asked for: a kept answer needs none. */
function lookup(folders: readonly (readonly [string, readonly DataPart[]])[]): (file: TreeFile) => Buffer {
  let places: ReadonlyMap<string, Buffer> | undefined;
  return ({ location }) => {
    places ??= new Map(
      folders.flatMap(([folder, parts]) => parts.flatMap((part) => placesIn(normalize(folder), part))),
    );
    return places.get(location) ?? Buffer.alloc(0);
  };
}

function placesIn(start: string, { paths, sizes, bytes }: DataPart): [string, Buffer][] {
  let end = 0;
  return splitPaths(paths).map((path, index) => {
    const from = end;
    end += sizes[index] ?? 0;
    return [start + path, bytes.subarray(from, end)];
  });
}
