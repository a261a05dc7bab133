import { defined, isJson } from '../../../base/index.ts';
import type { KubeClient } from '../../../clients/kube/index.ts';
import type { RemovalMemory } from '../../../manager/index.ts';
import { systemClock } from '../../../runtime/index.ts';
import type { LeasePlace } from './lease.ts';

const ANNOTATION = 'echelon/recent-removals';

const now = (): number => systemClock.now().getTime();

/** Forgets when the process ends: for a manager without a lease. */
export function processRemovals(): RemovalMemory {
  let known: string | undefined;
  return {
    now,
    read: async () => known,
    write: async (text) => {
      known = text;
    },
  };
}

/**
 * An annotation on a Lease of its own beside the manager's, which needs no other permission: writes to the manager's own
 * would race with its renewals.
 */
export function leaseRemovals(
  client: Pick<KubeClient, 'get' | 'create' | 'replace'>,
  { namespace, name }: LeasePlace,
): RemovalMemory {
  const id = { kind: 'Lease', namespace, name: `${name}-removals` };
  let version: string | undefined;
  return {
    now,
    read: async (signal) => {
      const found = await client.get(id, signal);
      version = found === undefined ? undefined : String(found.metadata['resourceVersion']);
      const annotations = found?.metadata['annotations'];
      const text = isJson(annotations) ? annotations[ANNOTATION] : undefined;
      return typeof text === 'string' ? text : undefined;
    },
    write: async (text) => {
      const metadata = { namespace, name: id.name, annotations: { [ANNOTATION]: text } };
      const object = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', spec: {} };
      const stated = { ...object, metadata: { ...metadata, ...defined({ resourceVersion: version }) } };
      await (version === undefined ? client.create(stated) : client.replace(stated));
    },
  };
}
