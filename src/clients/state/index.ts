import { homedir } from 'node:os';
import { join } from 'node:path';
import { EchelonError, type StateLocation, type StateStore } from '../../base/index.ts';
import { currentCluster, kubeClient, ownNamespace } from '../kube/index.ts';
import { createConfigMapStore } from './configmap-store.ts';
import { createFileStore } from './file-store.ts';
import { createS3Store } from './s3-store.ts';

type StateProcess = Parameters<typeof currentCluster>[0];

/** Opens nothing before the first read or write. */
export function openStore(process: StateProcess, place: StateLocation): StateStore {
  if (place.kind === 'folder') return createFileStore({ folder: place.folder });
  if (place.kind === 'home') return createFileStore({ folder: join(homedir(), place.below) });
  if (place.kind === 'configmap') return configMapStore(process, place);
  const { kind: _, ...bucket } = place;
  return createS3Store({ ...bucket, env: process.env });
}

function configMapStore(
  process: StateProcess,
  { namespace, name }: Extract<StateLocation, { kind: 'configmap' }>,
): StateStore {
  let opened: Promise<{ readonly store: StateStore }> | undefined;
  const open = async (): Promise<StateStore> => {
    opened ??= (async () => {
      const where = namespace ?? (await ownNamespace(process.env));
      if (where === undefined) throw noNamespace(name);
      const client = kubeClient(await currentCluster(process));
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

function noNamespace(name: string): EchelonError {
  return new EchelonError({
    code: 'FLAG_INVALID',
    message: `configmap:${name} has no namespace, and this is not a pod`,
    hint: `use configmap:NAMESPACE/${name}`,
  });
}
