import { homedir } from 'node:os';
import { join } from 'node:path';
import { defined, EchelonError, type StatePlace, type StateStore } from '../base/index.ts';
import { inCluster, isInCluster, type KubeClient, kubeClient, ownNamespace } from '../clients/kube/index.ts';
import { createConfigMapStore, createFileStore, createS3Store } from '../clients/state/index.ts';
import { currentKubeconfig } from './commands/manager/clusters.ts';
import type { Io } from './io.ts';

/** Opens nothing before the first read or write. */
export function openStore(io: Io, place: StatePlace): StateStore {
  if (place.kind === 'folder') return createFileStore({ folder: place.folder });
  if (place.kind === 'home') return createFileStore({ folder: join(homedir(), place.below) });
  if (place.kind === 'configmap') return configMapStore(io, place);
  const { kind: _, ...bucket } = place;
  return createS3Store(bucket);
}

function configMapStore(io: Io, { namespace, name }: Extract<StatePlace, { kind: 'configmap' }>): StateStore {
  let opened: Promise<{ readonly store: StateStore }> | undefined;
  const open = async (): Promise<StateStore> => {
    opened ??= (async () => {
      const where = namespace ?? (await ownNamespace(io.env));
      if (where === undefined) throw noNamespace(name);
      const client = await clusterOfState(io);
      return { store: createConfigMapStore({ namespace: where, name, client: async () => client }) };
    })();
    opened.catch(() => {
      opened = undefined;
    });
    return (await opened).store;
  };
  return {
    name: `configmap:${namespace === undefined ? '' : `${namespace}/`}${name}`,
    read: async (key) => (await open()).read(key),
    write: async (key, value, expected) => (await open()).write(key, value, expected),
  };
}

/** That of this pod, else of the current context. */
async function clusterOfState(io: Io): Promise<KubeClient> {
  const secrets = defined({ onSecret: io.onSecret });
  if (isInCluster(io.env))
    return kubeClient(await inCluster({ name: 'the cluster of this pod', env: io.env, ...secrets }));
  const config = await currentKubeconfig(io);
  return kubeClient(config.connect(config.current, config.current));
}

function noNamespace(name: string): EchelonError {
  return new EchelonError({
    code: 'FLAG_INVALID',
    message: `configmap:${name} has no namespace, and this is not a pod`,
    hint: `use configmap:NAMESPACE/${name}`,
  });
}
