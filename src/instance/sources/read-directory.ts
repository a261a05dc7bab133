import { hash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { byText, defined, inTurns, type Steps } from '../../base/index.ts';
import type { KeptValues } from '../kept-values.ts';
import { MAX_DATAFILE_BYTES, oversize } from '../oversize.ts';
import { contentName, datafileSteps, type ParsedDatafile, parseDatafile, withoutBom } from '../parse-datafile.ts';
import type { Problem } from '../problem.ts';
import { type Datafile, fileOf, OWN_RESOURCES, type Snapshot } from '../snapshot.ts';
import { DATAFILE } from './data-part.ts';
import { datafile } from './datafile.ts';
import { type EnvBytes, readEnvBytes, unreadable } from './env-bytes.ts';
import { type EnvFile, parseEnvFile } from './env-file.ts';
import type { HeldFiles } from './held-files.ts';
import type { LoadOptions } from './instance-source.ts';
import { revisionOf } from './revision.ts';
import { type Tree, type TreeFile, walkTree } from './walk-tree.ts';

/** Files between two reports of progress and checks of the signal. */
const FILES_PER_REPORT = 250;

type Read = Buffer | Omit<Problem, 'file'>;

/** The files of an instance, from the disk or held before. */
interface InstanceFiles {
  readonly data: Tree;
  readonly resources?: Tree;
  readonly env: EnvBytes;
  /** Valid until the next one is read. */
  readonly datafile: (file: TreeFile) => Read;
  /** Throws where the file cannot be read. */
  readonly resource: (file: TreeFile) => Buffer;
  /** The bytes of a datafile with this hash, read again. */
  readonly again: (path: string) => Buffer;
}

export function filesOnDisk(root: string): InstanceFiles {
  // For one file after the other: an instance has thousands of small ones.
  const buffer = Buffer.allocUnsafe(MAX_DATAFILE_BYTES + 1);
  const resources = existsSync(join(root, 'resources')) ? walkTree(join(root, 'resources')) : undefined;
  return {
    data: walkTree(join(root, 'data')),
    ...defined({ resources }),
    env: readEnvBytes(root),
    datafile: (file) => readLocation(file, buffer),
    resource: ({ location }) => readFileSync(location),
    again: (path) => readFileSync(join(root, 'data', path)),
  };
}

export function filesHeld({ data: dataOf, resources, env, bytesOf }: HeldFiles): InstanceFiles {
  const data = dataOf();
  const byPath = new Map(data.files.map((file) => [file.path, file]));
  const again = (path: string): Buffer => {
    const file = byPath.get(path);
    if (file === undefined) throw new Error(`no ${path} was held`);
    return bytesOf(file);
  };
  return { data, ...defined({ resources }), env, datafile: bytesOf, resource: bytesOf, again };
}

export async function readDirectory(
  root: string,
  files: InstanceFiles,
  described: Promise<{ commit: string; dirty: boolean } | undefined>,
  options: LoadOptions,
  before?: KeptValues<ParsedDatafile>,
): Promise<Snapshot> {
  const data = await readData(files, options, before);
  const resources = await readResources(files, options);
  const env = readEnv(files.env);
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
    contentName: (path) => {
      const sha256 = data.hashOf.get(path);
      return sha256 === undefined ? undefined : contentName(path, sha256);
    },
    text: (path) => unchangedText(files, path, data.hashOf.get(path)),
  };
}

interface DataRead {
  readonly datafiles: Map<string, Datafile>;
  readonly unreadable: Set<string>;
  readonly hashOf: Map<string, string>;
  readonly hashes: string[];
  readonly problems: Problem[];
  readonly before: KeptValues<ParsedDatafile> | undefined;
}

async function readData(
  files: InstanceFiles,
  options: LoadOptions,
  before?: KeptValues<ParsedDatafile>,
): Promise<DataRead> {
  const { data, datafile: bytesOf } = files;
  const read: DataRead = {
    datafiles: new Map(),
    unreadable: new Set(),
    hashOf: new Map(),
    hashes: [],
    problems: [],
    before,
  };
  for (const { path, ...problem } of data.problems) {
    if (DATAFILE.test(path)) refuse(path, problem, read);
    else read.problems.push({ ...problem, file: fileOf(path) });
  }
  const datafiles = data.files.filter(({ path }) => DATAFILE.test(path));
  await inTurns(fileSteps(datafiles, 'datafiles', options, (file) => readDatafile(file.path, bytesOf(file), read)));
  return read;
}

/** One file per step: a large one takes as long as hundreds of others, and several steps. */
function* fileSteps(
  files: readonly TreeFile[],
  what: string,
  { signal, onProgress }: LoadOptions,
  read: (file: TreeFile) => Steps<void> | undefined,
): Steps<undefined> {
  for (const [index, file] of files.entries()) {
    if (index % FILES_PER_REPORT === 0) {
      signal?.throwIfAborted();
      onProgress?.(`read ${index} of ${files.length} ${what}`);
    }
    const rest = read(file);
    if (rest !== undefined) yield* rest;
    yield;
  }
  return undefined;
}

/** What is left to do of a large file. */
function readDatafile(path: string, bytes: Read, into: DataRead): Steps<void> | undefined {
  if (!Buffer.isBuffer(bytes)) {
    refuse(path, bytes, into);
    return undefined;
  }
  const sha256 = hash('sha256', bytes);
  into.hashOf.set(path, sha256);
  into.hashes.push(`data${path} ${sha256}`);
  const name = contentName(path, sha256);
  const known = into.before?.get(name);
  if (known === undefined && bytes.length > LARGE_BYTES) return largeSteps({ path, name, bytes }, into);
  const parsed = known ?? parseDatafile(path, bytes);
  if (known === undefined) into.before?.set(name, parsed);
  keep(path, parsed, into);
  return undefined;
}

/** What parses in a few milliseconds, whatever it is, needs no pauses. */
const LARGE_BYTES = 32 * 1024;

function* largeSteps(file: { path: string; name: string; bytes: Buffer }, into: DataRead): Steps<void> {
  const parsed = yield* datafileSteps(file.path, file.bytes);
  into.before?.set(file.name, parsed);
  keep(file.path, parsed, into);
}

function keep(path: string, { content, problems }: ParsedDatafile, into: DataRead): void {
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

function readLocation(file: TreeFile, buffer: Buffer): Read {
  try {
    return readLimited(file.location, buffer);
  } catch (thrown) {
    return unreadable(thrown);
  }
}

/** Like `readFileSync`, but into the buffer, and rejects a file that is larger; its size is asked for only then. */
function readLimited(location: string, buffer: Buffer): Read {
  const file = openSync(location, 'r');
  try {
    const bytes = readFully(file, buffer);
    return bytes.length < buffer.length ? bytes : (oversize(fstatSync(file).size) ?? bytes);
  } finally {
    closeSync(file);
  }
}

function readFully(file: number, buffer: Buffer): Buffer {
  let read = 0;
  while (read < buffer.length) {
    const more = readSync(file, buffer, read, buffer.length - read, null);
    if (more === 0) break;
    read += more;
  }
  return buffer.subarray(0, read);
}

interface ResourcesRead {
  readonly paths: Set<string>;
  readonly own: Map<string, string>;
  readonly hashes: string[];
  readonly problems: Problem[];
}

async function readResources({ resources, resource }: InstanceFiles, options: LoadOptions): Promise<ResourcesRead> {
  const read: ResourcesRead = { paths: new Set(), own: new Map(), hashes: [], problems: [] };
  if (resources === undefined) return read;
  read.problems.push(...resources.problems.map(({ path, ...problem }) => ({ ...problem, file: `resources${path}` })));
  await inTurns(
    fileSteps(resources.files, 'resources', options, (file) => {
      readResource(file, resource, read);
      return undefined;
    }),
  );
  return read;
}

function readResource(file: TreeFile, read: InstanceFiles['resource'], into: ResourcesRead): void {
  const { path } = file;
  into.paths.add(path);
  try {
    const bytes = read(file);
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
function unchangedText({ again }: InstanceFiles, path: string, sha256: string | undefined): string | undefined {
  if (sha256 === undefined) return undefined;
  try {
    const bytes = again(path);
    return hash('sha256', bytes) === sha256 ? withoutBom(bytes.toString('utf8')) : undefined;
  } catch {
    return undefined;
  }
}
