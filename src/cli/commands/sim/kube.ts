import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { defined, EchelonError, messageOf } from '../../../base/index.ts';
import { badImagesIn, type SimKube, type SimKubeOptions, startSimKube } from '../../../sim/index.ts';
import { EXIT } from '../../exit-codes.ts';
import { interruption } from '../../interruption.ts';
import type { Io } from '../../io.ts';
import { document } from '../../output/format.ts';

export interface SimKubeFlags {
  /** Port of the first cluster; the others use the following ports. Free ports by default. */
  readonly port?: number;
  /** Comma-separated names. */
  readonly clusters?: string;
  /** Comma-separated namespaces that exist in every cluster. */
  readonly namespaces?: string;
  /** Create namespaces on first use. */
  readonly anyNamespace?: boolean;
  /** `TAG=KIND`. */
  readonly badImage?: readonly string[];
  /** File to write. */
  readonly kubeconfig?: string;
  readonly token?: string;
}

interface Cluster {
  readonly name: string;
  readonly sim: SimKube;
}

const DEFAULT_CLUSTER = 'sim';
const CLUSTERS_LIMIT = 100;

/** Serves simulated Kubernetes clusters until it is interrupted. */
export async function simKube(io: Io, flags: SimKubeFlags): Promise<number> {
  const names = namesOf(flags.clusters, '--clusters');
  const namespaces = namesOf(flags.namespaces, '--namespaces');
  const badImages = badImagesIn(flags.badImage ?? []);
  if (names.length > CLUSTERS_LIMIT) throw tooMany(names.length);
  if (flags.token !== undefined) io.onSecret?.(flags.token);
  const clusters: Cluster[] = [];
  try {
    for (const [i, name] of (names.length === 0 ? [DEFAULT_CLUSTER] : names).entries())
      clusters.push({ name, sim: await start(name, i, { namespaces, badImages }, flags) });
    if (flags.kubeconfig !== undefined) await writeKubeconfig(resolve(io.cwd, flags.kubeconfig), clusters, flags.token);
    for (const { name, sim } of clusters) io.stdout.write(`${name} ${sim.url}\n`);
    if (flags.token !== undefined) io.stderr.write('kubectl sends no token over http; omit --token to use kubectl\n');
    await interruption(io.signal);
  } finally {
    await Promise.all(clusters.map(({ sim }) => sim.close()));
  }
  return EXIT.ok;
}

async function start(
  name: string,
  i: number,
  { namespaces, badImages }: Pick<SimKubeOptions, 'namespaces' | 'badImages'>,
  flags: SimKubeFlags,
): Promise<SimKube> {
  const port = flags.port === undefined || flags.port === 0 ? 0 : flags.port + i;
  try {
    return await startSimKube({
      port,
      seed: i + 1,
      anyNamespace: flags.anyNamespace ?? false,
      ...defined({ namespaces, badImages }),
      ...defined({ token: flags.token }),
    });
  } catch (cause) {
    throw new EchelonError({
      code: 'SIM_NOT_STARTED',
      message: `cannot serve cluster ${name} on 127.0.0.1:${port}: ${messageOf(cause)}`,
      hint: 'choose another --port, or omit it to use a free one',
      cause,
    });
  }
}

const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

function namesOf(list: string | undefined, flag: string): string[] {
  const names = (list ?? '').split(',').filter((name) => name !== '');
  const wrong = names.find((name, i) => !NAME.test(name) || names.indexOf(name) !== i);
  if (wrong === undefined) return names;
  const why = NAME.test(wrong) ? 'is given twice' : 'is not a valid name: use lowercase letters, digits, - and .';
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: `${flag}: ${wrong} ${why}`,
    hint: `pass ${flag} a,b,c with distinct names`,
  });
}

function tooMany(count: number): EchelonError {
  return new EchelonError({
    code: 'FLAG_INVALID',
    message: `--clusters: ${count} clusters given; the limit is ${CLUSTERS_LIMIT}`,
    hint: `pass at most ${CLUSTERS_LIMIT} names`,
  });
}

/** Readable by its owner only: it may hold the token. */
async function writeKubeconfig(file: string, clusters: readonly Cluster[], token: string | undefined): Promise<void> {
  const user = { name: 'sim', user: token === undefined ? {} : { token } };
  const text = await document('yaml', {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: clusters.map(({ name, sim }) => ({ name, cluster: { server: sim.url } })),
    users: [user],
    contexts: clusters.map(({ name }) => ({ name, context: { cluster: name, user: user.name } })),
    'current-context': clusters[0]?.name,
  });
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o600 });
  } catch (cause) {
    throw new EchelonError({
      code: 'KUBECONFIG_NOT_WRITTEN',
      message: `cannot write ${file}: ${messageOf(cause)}`,
      hint: 'pass another file with --kubeconfig',
      cause,
    });
  }
}
