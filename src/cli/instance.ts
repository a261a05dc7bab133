import { readFileSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { count, defined, EchelonError, type Json, messageOf } from '../base/index.ts';
import { describeWorkingTree } from '../clients/git/index.ts';
import type { QontractClient } from '../clients/qontract-server/index.ts';
import {
  type Instance,
  type InstanceSource,
  type LoadOptions,
  MANAGER_RESOURCE,
  managerFileCheck,
  openInstance,
  type Problem,
  readInstance,
  type Snapshot,
} from '../instance/index.ts';
import { workloadCheck } from '../manager/index.ts';
import type { RolloutsText } from '../rollouts/index.ts';
import { badCapabilities, type Capabilities, parseCapabilities } from '../sharding/index.ts';
import type { Io } from './io.ts';
import { progressOn } from './output/terminal.ts';

export interface InstanceFlags {
  readonly data?: string;
  readonly config?: string;
}

/** The instance of a command: `--data`, then ECHELON_DATA, then the server of config.toml, then the current folder. */
export async function instanceSource(io: Io, flags: InstanceFlags): Promise<InstanceSource> {
  const given = flags.data ?? nonEmpty(io.env['ECHELON_DATA']);
  const config = given === undefined || isUrl(given) ? await readConfig(io, flags.config) : {};
  const name = given ?? config.graphql?.server ?? '.';
  return openInstance(isUrl(name) ? name : shortPath(io.cwd, name), {
    workingTree: { describe: describeWorkingTree },
    server: isUrl(name) ? await serverOf(io, config) : noServer,
  });
}

/** The folder of an instance that is one. */
export function instanceFolder(io: Io, flags: InstanceFlags): string | undefined {
  const name = flags.data ?? nonEmpty(io.env['ECHELON_DATA']) ?? '.';
  const folder = resolve(io.cwd, name);
  return !isUrl(name) && statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? folder : undefined;
}

/** The client is loaded only if the instance is on a server. */
async function serverOf(io: Io, config: Config): Promise<(url: string) => QontractClient> {
  const { qontractClient } = await import('../clients/qontract-server/index.ts');
  return (url) => {
    const token = tokenFor(url, io, config);
    if (token !== undefined) io.onSecret?.(token);
    return qontractClient({ url, signal: io.signal, ...defined({ token }) });
  };
}

function noServer(): never {
  throw new Error('a folder has no server');
}

/** Messages show the shortest path that works from the current folder. */
export function shortPath(cwd: string, name: string): string {
  const full = resolve(cwd, name);
  const near = relative(process.cwd(), full);
  return near === '' ? '.' : near.startsWith('..') ? full : near;
}

/** The token of the configuration is sent only to the server of the configuration. */
function tokenFor(url: string, { env }: Io, { graphql }: Config): string | undefined {
  const given = nonEmpty(env['ECHELON_GRAPHQL_TOKEN']);
  if (given !== undefined) return given;
  if (graphql?.server === undefined || graphql.token === undefined) return undefined;
  return originOf(graphql.server) === originOf(url) ? graphql.token : undefined;
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

function isUrl(name: string): boolean {
  return /^https?:\/\//i.test(name);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

/** The instance given by the flags, read with progress on standard error. */
export async function readFrom(io: Io, flags: InstanceFlags): Promise<Instance> {
  return readInstance(await loadFrom(io, flags));
}

/** The data of the instance given by the flags, loaded with progress on standard error. */
export async function loadFrom(
  io: Io,
  flags: InstanceFlags,
  options: Pick<LoadOptions, 'inventory'> = {},
): Promise<Snapshot> {
  const progress = progressOn(io);
  try {
    const source = await instanceSource(io, flags);
    return await source.load({ signal: io.signal, onProgress: progress.step, ...options });
  } finally {
    progress.end();
  }
}

/** The settings that Echelon reads from the `config.toml` of the existing tools. */
export interface Config {
  readonly graphql?: { readonly server?: string; readonly token?: string };
  /** The whole file, for secrets stored in it. */
  readonly all?: Json;
}

/** The file given by a flag or the environment; without a file there are no settings. */
export async function readConfig(io: Io, flag: string | undefined): Promise<Config> {
  const file = flag || io.env['ECHELON_CONFIG'] || io.env['QONTRACT_CONFIG'];
  if (file === undefined || file === '') return {};
  const text = readText(resolve(io.cwd, file), file);
  const { parse } = await import('smol-toml');
  try {
    const all = parse(text);
    return { ...checked(all, file), all };
  } catch (thrown) {
    if (thrown instanceof EchelonError) throw thrown;
    // Without its cause, which has the lines around the error in it, and with them maybe a secret.
    throw configError(`${file} is not valid TOML: ${messageOf(thrown).split('\n')[0]}`);
  }
}

function readText(location: string, name: string): string {
  try {
    return readFileSync(location, 'utf8');
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    throw configError(
      `cannot read configuration file ${name}: ${code}`,
      thrown,
      name.startsWith('/config/') ? MOUNT : HINT,
    );
  }
}

function checked(parsed: Readonly<Record<string, unknown>>, file: string): Config {
  const graphql = parsed['graphql'];
  if (graphql === undefined) return {};
  if (typeof graphql !== 'object' || graphql === null) throw configError(`${file}: graphql must be a section`);
  const { server, token } = graphql as Record<string, unknown>;
  for (const [key, value] of Object.entries({ server, token })) {
    if (value !== undefined && typeof value !== 'string') throw configError(`${file}: graphql.${key} must be text`);
  }
  return {
    graphql: {
      ...(typeof server === 'string' ? { server } : {}),
      ...(typeof token === 'string' ? { token } : {}),
    },
  };
}

const HINT = 'pass a config.toml with [graphql] server and token with --config, ECHELON_CONFIG or QONTRACT_CONFIG';
const MOUNT =
  'create it, in a pod the secret that is mounted there (qontract-reconcile-toml), or pass another with --config';

function configError(message: string, cause?: unknown, hint = HINT): EchelonError {
  return new EchelonError({
    code: 'CONFIG_INVALID',
    message,
    hint,
    cause,
  });
}

/** The file of `--capabilities`: a mapping from integration to what it supports. */
export function readCapabilities(io: Io, file: string | undefined): Capabilities | undefined {
  if (file === undefined) return undefined;
  let text: string;
  try {
    text = readFileSync(resolve(io.cwd, file), 'utf8');
  } catch (thrown) {
    throw badCapabilities(file, messageOf(thrown));
  }
  return parseCapabilities(file, text);
}

/** The file of `--rollouts`. */
export function rolloutsText(io: Io, file: string): RolloutsText {
  const name = resolve(io.cwd, file);
  try {
    return { name, content: readFile(name) };
  } catch (thrown) {
    const message = `cannot read ${file}: ${messageOf(thrown)}`;
    throw new EchelonError({ code: 'ROLLOUTS_UNREADABLE', message, hint: 'pass a readable file with --rollouts' });
  }
}

/** The whole content of a text file. Throws with the `code` of the system, and with `EFBIG` for one that is larger. */
export function readFile(path: string, maxBytes = Number.POSITIVE_INFINITY): string {
  if (statSync(path).size > maxBytes) throw Object.assign(new Error(`${path} is too large`), { code: 'EFBIG' });
  return readFileSync(path, 'utf8');
}

export interface CheckFlags {
  readonly chart?: string;
  readonly rollouts?: string;
}

interface CheckInput {
  readonly snapshot: Snapshot;
  readonly capabilities: Capabilities | undefined;
}

type FileCheck = (instance: Instance) => readonly Problem[];

/** The checks of all rooms, for `checkInstance`; those of other rooms' files are loaded only where there is one. */
export async function instanceChecks(io: Io, { chart, rollouts }: CheckFlags, { snapshot, capabilities }: CheckInput) {
  const otherChart = chart === undefined ? undefined : true;
  const other = rollouts === undefined ? undefined : rolloutsText(io, rollouts);
  const hasFile = other !== undefined || [...snapshot.echelonFiles.keys()].some((path) => path !== MANAGER_RESOURCE);
  return {
    checks: [workloadCheck(defined({ capabilities, otherChart }))],
    fileChecks: [managerFileCheck, ...(hasFile ? await fileChecks(other) : [])],
  };
}

async function fileChecks(other: RolloutsText | undefined): Promise<FileCheck[]> {
  const [{ rolloutsCheck }, { declaredImage }, { shadowCheck }] = await Promise.all([
    import('../rollouts/index.ts'),
    import('../promotion/index.ts'),
    import('../shadow/index.ts'),
  ]);
  return [rolloutsCheck(declaredImage, other), shadowCheck];
}

/** Loads an instance of which the valid part is shown; reports the number of errors on standard error. */
export async function loadInstance(io: Io, flags: InstanceFlags): Promise<Instance> {
  const instance = await readFrom(io, flags);
  warnOfErrors(io, errorsAmong([...instance.snapshot.problems, ...instance.findings]));
  return instance;
}

export function errorsAmong(found: readonly Pick<Problem, 'severity'>[]): number {
  return found.filter(({ severity }) => severity === 'error').length;
}

export function warnOfErrors(io: Io, errors: number): void {
  if (errors === 0) return;
  io.stderr.write(
    `warning: ${count(errors, 'error')} in this instance; the affected parts are left out: run echelon validate\n`,
  );
}
