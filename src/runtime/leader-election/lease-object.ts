import { defined, EchelonError } from '../../base/index.ts';
import type { LeaseApi, LeaseRecord } from './term.ts';

interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

/** A Lease as the API server stores it. */
interface LeaseObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name: string };
  readonly [field: string]: unknown;
}

/** The API of the cluster that stores the object. */
interface LeaseObjects {
  get(id: LeaseName & { readonly kind: string }, signal?: AbortSignal): Promise<LeaseObject | undefined>;
  create(object: LeaseObject, signal?: AbortSignal): Promise<LeaseObject>;
  replace(object: LeaseObject, signal?: AbortSignal): Promise<LeaseObject>;
  dryRunUpdate(object: LeaseObject, signal?: AbortSignal): Promise<unknown>;
}

/** A lease that is stored as a Kubernetes object. */
export function leaseObject(objects: LeaseObjects, { namespace, name }: LeaseName): LeaseApi {
  const id = { kind: 'Lease', namespace, name };
  return {
    read: async (signal) => {
      const found = await objects.get(id, signal);
      return found === undefined ? undefined : recordOf(found);
    },
    create: async (record, signal) => recordOf(await objects.create(objectOf(id, record), signal)),
    dryRunUpdate: async (record, signal) => {
      await objects.dryRunUpdate(objectOf(id, record), signal).catch((thrown: unknown) => {
        if (!(thrown instanceof EchelonError) || thrown.code !== 'KUBE_CONFLICT') throw thrown;
      });
    },
    update: async (record, signal) => recordOf(await objects.replace(objectOf(id, record), signal)),
  };
}

function recordOf({ metadata, spec }: LeaseObject): LeaseRecord {
  const stated = (spec ?? {}) as Readonly<Record<string, unknown>>;
  const renewTime = new Date(String(stated['renewTime'] ?? 0));
  return {
    holder: String(stated['holderIdentity'] ?? ''),
    acquireTime: new Date(String(stated['acquireTime'] ?? stated['renewTime'] ?? 0)),
    renewTime,
    durationSeconds: Number(stated['leaseDurationSeconds'] ?? 0),
    transitions: Number(stated['leaseTransitions'] ?? 0),
    resourceVersion: String(metadata['resourceVersion']),
  };
}

function objectOf({ namespace, name }: LeaseName, record: LeaseRecord): LeaseObject {
  const { resourceVersion } = record;
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace, name, ...defined({ resourceVersion }) },
    spec: {
      holderIdentity: record.holder,
      acquireTime: microTime(record.acquireTime),
      renewTime: microTime(record.renewTime),
      leaseDurationSeconds: record.durationSeconds,
      leaseTransitions: record.transitions,
    },
  };
}

/** Kubernetes requires microseconds. */
function microTime(time: Date): string {
  return time.toISOString().replace('Z', '000Z');
}
