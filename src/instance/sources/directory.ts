import { hash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { join, sep } from 'node:path';
import { byText, EchelonError, inTurns, messageOf, type Steps } from '../../base/index.ts';
import {
  datafileSteps,
  MAX_DATAFILE_BYTES,
  oversize,
  type ParsedDatafile,
  parseDatafile,
  withoutBom,
} from '../parse-datafile.ts';
import type { Problem } from '../problem.ts';
import { type Datafile, fileOf, OWN_RESOURCES, type Revision, type Snapshot } from '../snapshot.ts';
import { datafile } from './datafile.ts';
import { type EnvFile, parseEnvFile } from './env-file.ts';
import type { InstanceSource, LoadOptions } from './instance-source.ts';
import { refuseLink, type TreeFile, walkTree } from './walk-tree.ts';

/** Version control information about a directory; declared here, implemented by the git client. */
export interface WorkingTree {
  /** The checked-out commit and whether one of the paths differs from it; undefined outside a repository. */
  describe(root: string, paths: readonly string[]): Promise<{ commit: string; dirty: boolean } | undefined>;
}

const DATAFILE = /\.(?:ya?ml|json)$/;
/** Files between two reports of progress and checks of the signal. */
const FILES_PER_REPORT = 250;

/** An instance as a directory with `data/`, and optionally `resources/` and `.env`. */
export function directorySource(root: string, workingTree: WorkingTree): InstanceSource {
  const describe = () => workingTree.describe(root, ['data', 'resources', '.env']);
  return {
    origin: root,
    glimpse: async () => {
      const git = await describe();
      return git === undefined || git.dirty ? undefined : git.commit;
    },
    load: async (options = {}) => {
      requireDataFolder(root);
      const described = describe();
      const data = await readData(root, options);
      const resources = await readResources(root, options);
      const env = readEnv(root);
      const revision = revisionOf([...data.hashes, ...resources.hashes, ...env.hashes], await described);
      return {
        origin: root,
        kind: 'directory',
        revision,
        datafiles: data.datafiles,
        unreadable: data.unreadable,
        resources: resources.paths,
        own: resources.own,
        env: env.file.values,
        problems: [...data.problems, ...resources.problems, ...env.file.problems],
        text: (path) => unchangedText(root, path, data.hashOf.get(path)),
      } satisfies Snapshot;
    },
  };
}

function requireDataFolder(root: string): void {
  if (existsSync(join(root, 'data')) && statSync(join(root, 'data')).isDirectory()) {
    for (const folder of ['data', 'resources']) refuseLinkedFolder(root, folder);
    return;
  }
  throw new EchelonError({
    code: 'INSTANCE_NOT_FOUND',
    message: `no folder data/ in ${root}`,
    hint: 'pass the root of a data repository, a bundle file or a qontract-server URL with --data or ECHELON_DATA',
  });
}

/** The folders themselves may be links, but not to outside the repository. */
function refuseLinkedFolder(root: string, folder: string): void {
  const location = join(root, folder);
  if (!existsSync(location)) return;
  const home = realpathSync(root);
  const target = realpathSync(location);
  if (target.startsWith(home.endsWith(sep) ? home : home + sep)) return;
  throw new EchelonError({
    code: 'INSTANCE_LINKED',
    message: `${location} is a link to outside ${root}`,
    hint: 'pass the repository that the link points to with --data',
  });
}

interface DataRead {
  /** For one file after the other: an instance has thousands of small ones. */
  readonly buffer: Buffer;
  readonly datafiles: Map<string, Datafile>;
  readonly unreadable: Set<string>;
  readonly hashOf: Map<string, string>;
  readonly hashes: string[];
  readonly problems: Problem[];
}

async function readData(root: string, options: LoadOptions): Promise<DataRead> {
  const read: DataRead = {
    buffer: Buffer.allocUnsafe(MAX_DATAFILE_BYTES + 1),
    datafiles: new Map(),
    unreadable: new Set(),
    hashOf: new Map(),
    hashes: [],
    problems: [],
  };
  const tree = walkTree(join(root, 'data'));
  for (const { path, ...problem } of tree.problems) {
    if (DATAFILE.test(path)) refuse(path, problem, read);
    else read.problems.push({ ...problem, file: fileOf(path) });
  }
  const files = tree.files.filter(({ path }) => DATAFILE.test(path));
  await inTurns(fileSteps(files, 'datafiles', options, (file) => readDatafile(file, read)));
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
function readDatafile(file: TreeFile, into: DataRead): Steps<void> | undefined {
  const bytes = bytesOf(file, into.buffer);
  if (!Buffer.isBuffer(bytes)) {
    refuse(file.path, bytes, into);
    return undefined;
  }
  const sha256 = hash('sha256', bytes);
  into.hashOf.set(file.path, sha256);
  into.hashes.push(`data${file.path} ${sha256}`);
  if (bytes.length > LARGE_BYTES) return largeSteps(file.path, bytes, into);
  keep(file.path, parseDatafile(file.path, bytes), into);
  return undefined;
}

/** What parses in a few milliseconds, whatever it is, needs no pauses. */
const LARGE_BYTES = 32 * 1024;

function* largeSteps(path: string, bytes: Buffer, into: DataRead): Steps<void> {
  keep(path, yield* datafileSteps(path, bytes), into);
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

function bytesOf(file: TreeFile, buffer: Buffer): Buffer | Omit<Problem, 'file'> {
  try {
    return readLimited(file.location, buffer);
  } catch (thrown) {
    return unreadable(thrown);
  }
}

function unreadable(thrown: unknown): Omit<Problem, 'file'> {
  return {
    rule: 'unreadable-file',
    severity: 'error',
    message: `cannot read the file: ${messageOf(thrown)}`,
    hint: 'check its permissions',
  };
}

/** Like `readFileSync`, but into the buffer, and rejects a file that is larger; its size is asked for only then. */
function readLimited(location: string, buffer: Buffer): Buffer | Omit<Problem, 'file'> {
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

async function readResources(root: string, options: LoadOptions): Promise<ResourcesRead> {
  const read: ResourcesRead = { paths: new Set(), own: new Map(), hashes: [], problems: [] };
  const folder = join(root, 'resources');
  if (!existsSync(folder)) return read;
  const tree = walkTree(folder);
  read.problems.push(...tree.problems.map(({ path, ...problem }) => ({ ...problem, file: `resources${path}` })));
  await inTurns(
    fileSteps(tree.files, 'resources', options, (file) => {
      readResource(file, read);
      return undefined;
    }),
  );
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

function readEnv(root: string): { file: EnvFile; hashes: string[] } {
  const location = join(root, '.env');
  const found = lstatSync(location, { throwIfNoEntry: false });
  if (found === undefined) return withoutEnv([]);
  const refused = found.isSymbolicLink() ? refuseLink(location, realpathSync(root)) : undefined;
  if (refused !== undefined) return withoutEnv([{ ...refused, file: '.env' }]);
  try {
    const bytes = readFileSync(location);
    return { file: parseEnvFile(withoutBom(bytes.toString('utf8'))), hashes: [`.env ${hash('sha256', bytes)}`] };
  } catch (thrown) {
    return withoutEnv([{ ...unreadable(thrown), file: '.env' }]);
  }
}

function withoutEnv(problems: readonly Problem[]): { file: EnvFile; hashes: string[] } {
  return { file: { values: new Map(), problems }, hashes: [] };
}

function revisionOf(hashes: readonly string[], git: Awaited<ReturnType<WorkingTree['describe']>>): Revision {
  const sha256 = hash('sha256', hashes.toSorted(byText).join('\0'));
  const short = sha256.slice(0, 8);
  if (git === undefined) return { id: `content.${short}`, sha256 };
  const commit = git.commit.slice(0, 7);
  return { id: git.dirty ? `${commit}+dirty.${short}` : commit, sha256, ...git };
}

/** The text that was parsed, or undefined when the file was edited since. */
function unchangedText(root: string, path: string, sha256: string | undefined): string | undefined {
  if (sha256 === undefined) return undefined;
  try {
    const bytes = readFileSync(join(root, 'data', path));
    return hash('sha256', bytes) === sha256 ? withoutBom(bytes.toString('utf8')) : undefined;
  } catch {
    return undefined;
  }
}
