import { defined, isJson } from '../../base/index.ts';
import type { PlaceMemory } from './place-memory.ts';
import type { RemovalMemory } from './removal-memory.ts';

const ANNOTATION = 'echelon/recent-removals';
const PLACES = 'echelon/places';

/** Forgets when the process ends: for a manager without a lease. */
export function removalsInProcess(now: () => number): RemovalMemory {
  let known: string | undefined;
  return {
    now,
    read: async () => known,
    write: async (text) => {
      known = text;
    },
  };
}

interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

interface ApiRecord {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name: string };
  readonly [field: string]: unknown;
}

/** Where the Lease is stored: a cluster. */
interface RemovalObjects {
  get(id: LeaseName & { readonly kind: string }, signal?: AbortSignal): Promise<ApiRecord | undefined>;
  create(object: ApiRecord): Promise<unknown>;
  replace(object: ApiRecord): Promise<unknown>;
}

export function removalsInLease(objects: RemovalObjects, lease: LeaseName, now: () => number): RemovalMemory {
  return { now, ...annotationOf(objects, lease, ANNOTATION) };
}

/** Beside the removals. */
export function placesInLease(objects: RemovalObjects, lease: LeaseName): PlaceMemory {
  return annotationOf(objects, lease, PLACES);
}

/**
 * An annotation on a Lease of its own beside the manager's, which needs no other permission: writes to the manager's own
 * would race with its renewals. Each write keeps the other annotations of the last read.
 */
function annotationOf(objects: RemovalObjects, { namespace, name }: LeaseName, key: string): PlaceMemory {
  const id = { kind: 'Lease', namespace, name: `${name}-removals` };
  let version: string | undefined;
  let known: Readonly<Record<string, unknown>> = {};
  return {
    read: async (signal) => {
      const found = await objects.get(id, signal);
      version = found === undefined ? undefined : String(found.metadata['resourceVersion']);
      const annotations = found?.metadata['annotations'];
      known = isJson(annotations) ? annotations : {};
      const text = known[key];
      return typeof text === 'string' ? text : undefined;
    },
    write: async (text) => {
      const metadata = { namespace, name: id.name, annotations: { ...known, [key]: text } };
      const object = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', spec: {} };
      const stated = { ...object, metadata: { ...metadata, ...defined({ resourceVersion: version }) } };
      await (version === undefined ? objects.create(stated) : objects.replace(stated));
    },
  };
}
