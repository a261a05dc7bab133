import { hash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { byText, EchelonError, inTurns, messageOf, type Steps } from '../../base/index.ts';
import { oversize, parseDatafile, withoutBom } from '../parse-datafile.ts';
import type { Problem } from '../problem.ts';
import {
  type Datafile,
  datafile,
  ECHELON_FILES,
  fileOf,
  INSTANCE_PATHS,
  type InstanceSource,
  type LoadOptions,
  type Revision,
  type Snapshot,
} from '../snapshot.ts';
import { refuseLink, type TreeFile, walkTree } from './walk-tree.ts';

/** An instance as a directory with `data/`, and optionally `resources/` and `.env`. */
export function directorySource(root: string, workingTree: WorkingTree): InstanceSource {
  const describe = () => workingTree.describe(root, INSTANCE_PATHS);
  return {
    origin: root,
    currentRevision: async () => {
      const git = await describe();
      return git === undefined || git.dirty ? undefined : git.commit;
    },
    load: async (options = {}) => {
      requireDataFolder(root);
      return readDirectory(root, describe(), options);
    },
  };
}

/** Version control information about a directory; declared here, implemented by the git client. */
export interface WorkingTree {
  /** The checked-out commit and whether one of the paths differs from it; undefined outside a repository. */
  describe(
    root: string,
    paths: readonly string[],
  ): Promise<{ readonly commit: string; readonly dirty: boolean } | undefined>;
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

/** Files between two reports of progress and checks of the signal. */
const FILES_PER_REPORT = 250;

async function readDirectory(
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
    echelonFiles: resources.echelonFiles,
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
  for (const problem of problems) {
    if (DATAFILE.test(problem.file)) refuse(problem.file, problem, read);
    else read.problems.push({ ...problem, file: fileOf(problem.file) });
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
  readonly echelonFiles: Map<string, string>;
  readonly hashes: string[];
  readonly problems: Problem[];
}

async function readResources(folder: string, options: LoadOptions): Promise<ResourcesRead> {
  const read: ResourcesRead = { paths: new Set(), echelonFiles: new Map(), hashes: [], problems: [] };
  if (!existsSync(folder)) return read;
  const { files, problems } = walkTree(folder);
  read.problems.push(...problems.map((problem) => ({ ...problem, file: `resources${problem.file}` })));
  await inTurns(fileSteps(files, 'resources', options, (file) => readResource(file, read)));
  return read;
}

function readResource({ path, location }: TreeFile, into: ResourcesRead): void {
  into.paths.add(path);
  try {
    const bytes = readFileSync(location);
    into.hashes.push(`resources${path} ${hash('sha256', bytes)}`);
    if (ECHELON_FILES.includes(path)) into.echelonFiles.set(path, withoutBom(bytes.toString('utf8')));
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

/** `.env` as it is found: its bytes, or why it is not read, or neither. */
interface EnvBytes {
  readonly bytes?: Buffer;
  readonly problem?: Problem;
}

function readEnvBytes(root: string): EnvBytes {
  const location = join(root, '.env');
  const found = lstatSync(location, { throwIfNoEntry: false });
  if (found === undefined) return {};
  const refused = found.isSymbolicLink() ? refuseLink(location, realpathSync(root)) : undefined;
  if (refused !== undefined) return { problem: { ...refused, file: '.env' } };
  try {
    return { bytes: readFileSync(location) };
  } catch (thrown) {
    return { problem: { ...unreadable(thrown), file: '.env' } };
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

interface EnvFile {
  readonly values: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
}

const LINE = /^export ([A-Za-z_][A-Za-z0-9_]*)=(.*)$/;

/** `.env` of an instance: lines `export KEY=VALUE`, read by a shell and by make, for which quotes are part of the value. */
export function parseEnvFile(text: string): EnvFile {
  const values = new Map<string, string>();
  const problems: Problem[] = [];
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trimEnd();
    if (line === '' || line.trimStart().startsWith('#')) continue;
    const match = LINE.exec(line);
    if (match === null)
      problems.push(envProblem(index, 'the line is not of the form export KEY=VALUE', 'use that form'));
    else {
      const [, key = '', value = ''] = match;
      values.set(key, value);
      if (/["'\s$#]/.test(value)) {
        problems.push(
          envProblem(
            index,
            `the value of ${key} has quotes, blanks, $ or #`,
            'make reads this file too: use plain text',
          ),
        );
      }
    }
  }
  return { values, problems };
}

function envProblem(index: number, message: string, hint: string): Problem {
  return { rule: 'env-file', severity: 'warning', file: '.env', line: index + 1, column: 1, message, hint };
}

/** The revision of a directory with this content, of which git may know more. */
function revisionOf(sha256: string, git: { commit: string; dirty: boolean } | undefined): Revision {
  const short = sha256.slice(0, 8);
  if (git === undefined) return { id: `content.${short}`, sha256 };
  const commit = git.commit.slice(0, 7);
  return { id: git.dirty ? `${commit}+dirty.${short}` : commit, sha256, ...git };
}
