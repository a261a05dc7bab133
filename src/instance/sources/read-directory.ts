import { hash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { byText, inTurns, type Steps } from '../../base/index.ts';
import { oversize } from '../oversize.ts';
import { parseDatafile, withoutBom } from '../parse-datafile.ts';
import type { Problem } from '../problem.ts';
import { type Datafile, fileOf, OWN_RESOURCES, type Snapshot } from '../snapshot.ts';
import { datafile } from './datafile.ts';
import { type EnvBytes, readEnvBytes, unreadable } from './env-bytes.ts';
import { type EnvFile, parseEnvFile } from './env-file.ts';
import type { LoadOptions } from './instance-source.ts';
import { revisionOf } from './revision.ts';
import { type TreeFile, walkTree } from './walk-tree.ts';

/** Files between two reports of progress and checks of the signal. */
const FILES_PER_REPORT = 250;

export async function readDirectory(
  root: string,
  described: Promise<{ commit: string; dirty: boolean } | undefined>,
  options: LoadOptions,
): Promise<Snapshot> {
  const data = await readData(join(root, 'data'), options);
  const resources = await readResources(join(root, 'resources'), options);
  const env = readEnv(readEnvBytes(root));
  const hashes = [...data.hashes, ...resources.hashes, ...env.hashes];
  return {
    origin: root,
    kind: 'directory',
    revision: revisionOf(hash('sha256', hashes.toSorted(byText).join('\0')), await described),
    datafiles: data.datafiles,
    unreadable: data.unreadable,
    resources: resources.paths,
    own: resources.own,
    env: env.file.values,
    problems: [...data.problems, ...resources.problems, ...env.file.problems],
    text: (path) => unchangedText(join(root, 'data', path), data.hashOf.get(path)),
  };
}

/** Files below `data/` with another ending are not read. */
const DATAFILE = /\.(?:ya?ml|json)$/;

interface DataRead {
  readonly datafiles: Map<string, Datafile>;
  readonly unreadable: Set<string>;
  readonly hashOf: Map<string, string>;
  readonly hashes: string[];
  readonly problems: Problem[];
}

async function readData(folder: string, options: LoadOptions): Promise<DataRead> {
  const { files, problems } = walkTree(folder);
  const read: DataRead = {
    datafiles: new Map(),
    unreadable: new Set(),
    hashOf: new Map(),
    hashes: [],
    problems: [],
  };
  for (const { path, ...problem } of problems) {
    if (DATAFILE.test(path)) refuse(path, problem, read);
    else read.problems.push({ ...problem, file: fileOf(path) });
  }
  const datafiles = files.filter(({ path }) => DATAFILE.test(path));
  await inTurns(fileSteps(datafiles, 'datafiles', options, (file) => readDatafile(file, read)));
  return read;
}

/** Yields after each file. */
function* fileSteps(
  files: readonly TreeFile[],
  what: string,
  { signal, onProgress }: LoadOptions,
  read: (file: TreeFile) => void,
): Steps<undefined> {
  for (const [index, file] of files.entries()) {
    if (index % FILES_PER_REPORT === 0) {
      signal?.throwIfAborted();
      onProgress?.(`read ${index} of ${files.length} ${what}`);
    }
    read(file);
    yield;
  }
  return undefined;
}

function readDatafile({ path, location }: TreeFile, into: DataRead): void {
  const bytes = readLimited(location);
  if (!Buffer.isBuffer(bytes)) {
    refuse(path, bytes, into);
    return;
  }
  const sha256 = hash('sha256', bytes);
  into.hashOf.set(path, sha256);
  into.hashes.push(`data${path} ${sha256}`);
  const { content, problems } = parseDatafile(path, bytes);
  for (const problem of problems) into.problems.push({ ...problem, file: fileOf(path) });
  if (content === undefined) into.unreadable.add(path);
  else into.datafiles.set(path, datafile(path, content));
}

/** A datafile that exists but cannot be read is still part of the state. */
function refuse(path: string, problem: Omit<Problem, 'file'>, into: DataRead): void {
  into.unreadable.add(path);
  into.hashes.push(`data${path} ${problem.rule}`);
  into.problems.push({ ...problem, file: fileOf(path) });
}

/** The bytes of a file, or why they are not read; a file over the limit is known by its size. */
function readLimited(location: string): Buffer | Omit<Problem, 'file'> {
  try {
    return oversize(statSync(location).size) ?? readFileSync(location);
  } catch (thrown) {
    return unreadable(thrown);
  }
}

interface ResourcesRead {
  readonly paths: Set<string>;
  readonly own: Map<string, string>;
  readonly hashes: string[];
  readonly problems: Problem[];
}

async function readResources(folder: string, options: LoadOptions): Promise<ResourcesRead> {
  const read: ResourcesRead = { paths: new Set(), own: new Map(), hashes: [], problems: [] };
  if (!existsSync(folder)) return read;
  const { files, problems } = walkTree(folder);
  read.problems.push(...problems.map(({ path, ...problem }) => ({ ...problem, file: `resources${path}` })));
  await inTurns(fileSteps(files, 'resources', options, (file) => readResource(file, read)));
  return read;
}

function readResource({ path, location }: TreeFile, into: ResourcesRead): void {
  into.paths.add(path);
  try {
    const bytes = readFileSync(location);
    into.hashes.push(`resources${path} ${hash('sha256', bytes)}`);
    if (OWN_RESOURCES.includes(path)) into.own.set(path, withoutBom(bytes.toString('utf8')));
  } catch (thrown) {
    into.hashes.push(`resources${path} unreadable`);
    into.problems.push({ ...unreadable(thrown), file: `resources${path}` });
  }
}

function readEnv({ bytes, problem }: EnvBytes): { file: EnvFile; hashes: string[] } {
  if (bytes === undefined) {
    return { file: { values: new Map(), problems: problem === undefined ? [] : [problem] }, hashes: [] };
  }
  return { file: parseEnvFile(withoutBom(bytes.toString('utf8'))), hashes: [`.env ${hash('sha256', bytes)}`] };
}

/** The text that was parsed, or undefined when the file was edited since. */
function unchangedText(location: string, sha256: string | undefined): string | undefined {
  if (sha256 === undefined) return undefined;
  try {
    const bytes = readFileSync(location);
    return hash('sha256', bytes) === sha256 ? withoutBom(bytes.toString('utf8')) : undefined;
  } catch {
    return undefined;
  }
}
