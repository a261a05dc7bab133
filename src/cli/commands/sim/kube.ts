import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { defined, EchelonError, messageOf } from '../../../base/index.ts';
import { badImagesIn, simKubeconfig, simNames, startSimClusters } from '../../../sim/index.ts';
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

const DEFAULT_CLUSTER = 'sim';

/** Serves simulated Kubernetes clusters until it is interrupted. */
export async function simKube(io: Io, flags: SimKubeFlags): Promise<number> {
  const names = simNames(flags.clusters, '--clusters');
  const namespaces = simNames(flags.namespaces, '--namespaces');
  const badImages = badImagesIn(flags.badImage ?? []);
  if (flags.token !== undefined) io.onSecret?.(flags.token);
  const clusters = await startSimClusters(names.length === 0 ? [DEFAULT_CLUSTER] : names, {
    ...{ namespaces, badImages, anyNamespace: flags.anyNamespace ?? false },
    ...defined({ port: flags.port, token: flags.token }),
  });
  try {
    if (flags.kubeconfig !== undefined) {
      const text = await document('yaml', simKubeconfig(clusters, flags.token));
      writeKubeconfig(resolve(io.cwd, flags.kubeconfig), text);
    }
    for (const { name, sim } of clusters) io.stdout.write(`${name} ${sim.url}\n`);
    if (flags.token !== undefined) io.stderr.write('kubectl sends no token over http; omit --token to use kubectl\n');
    await interruption(io.signal);
  } finally {
    await Promise.all(clusters.map(({ sim }) => sim.close()));
  }
  return EXIT.ok;
}

/** Readable by its owner only: it may hold the token. */
function writeKubeconfig(file: string, text: string): void {
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
