import { EchelonError, messageOf } from '../../base/index.ts';
import { type SimKube, type SimKubeOptions, startSimKube } from './sim-kube.ts';

export interface SimCluster {
  readonly name: string;
  readonly sim: SimKube;
}

const MOST = 100;
const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** Names in a comma-separated list of a flag. */
export function simNames(list: string | undefined, flag: string): string[] {
  const names = (list ?? '').split(',').filter((name) => name !== '');
  if (names.length > MOST)
    throw invalid(`${flag}: ${names.length} names given; the limit is ${MOST}`, `pass at most ${MOST} names`);
  const wrong = names.find((name, i) => !NAME.test(name) || names.indexOf(name) !== i);
  if (wrong === undefined) return names;
  const why = NAME.test(wrong) ? 'is given twice' : 'is not a valid name: use lowercase letters, digits, - and .';
  throw invalid(`${flag}: ${wrong} ${why}`, `pass ${flag} a,b,c with distinct names`);
}

function invalid(message: string, hint: string): EchelonError {
  return new EchelonError({ code: 'FLAG_INVALID', message, hint });
}

/** Serves the clusters on consecutive ports, or on free ones; where one cannot be served, none is. */
export async function startSimClusters(
  names: readonly string[],
  options: Omit<SimKubeOptions, 'seed'>,
): Promise<SimCluster[]> {
  const clusters: SimCluster[] = [];
  try {
    for (const [i, name] of names.entries()) clusters.push({ name, sim: await startOne(name, i, options) });
    return clusters;
  } catch (thrown) {
    await Promise.all(clusters.map(({ sim }) => sim.close()));
    throw thrown;
  }
}

async function startOne(name: string, i: number, options: Omit<SimKubeOptions, 'seed'>): Promise<SimKube> {
  const port = options.port === undefined || options.port === 0 ? 0 : options.port + i;
  try {
    return await startSimKube({ ...options, port, seed: i + 1 });
  } catch (cause) {
    throw new EchelonError({
      code: 'SIM_NOT_STARTED',
      message: `cannot serve cluster ${name} on 127.0.0.1:${port}: ${messageOf(cause)}`,
      hint: 'choose another --port, or omit it to use a free one',
      cause,
    });
  }
}

/** A kubeconfig with a context for each cluster. */
export function simKubeconfig(clusters: readonly SimCluster[], token: string | undefined): object {
  const user = { name: 'sim', user: token === undefined ? {} : { token } };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: clusters.map(({ name, sim }) => ({ name, cluster: { server: sim.url } })),
    users: [user],
    contexts: clusters.map(({ name }) => ({ name, context: { cluster: name, user: user.name } })),
    'current-context': clusters[0]?.name,
  };
}
