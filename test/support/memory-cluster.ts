import { defined, EchelonError } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/manager/desired/desired-namespace.ts';
import type { ClusterApi, ListWhere, ObjectId } from '../../src/manager/plan/cluster-api.ts';

/** A call as it arrived, also one that failed. */
export interface MemoryCall extends Partial<ObjectId> {
  readonly verb: 'list' | 'apply' | 'patch' | 'remove';
  readonly kind: string;
  readonly where?: ListWhere;
  readonly object?: KubeObject;
  readonly force?: boolean;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly orphan?: boolean;
}

/** What goes wrong with the calls that it is for. */
export interface MemoryFault {
  readonly when: (call: MemoryCall) => boolean;
  readonly error: EchelonError;
  /** How many calls it strikes; all when left out. */
  readonly times?: number;
  /** The call is carried out, and then fails. */
  readonly after?: boolean;
}

export interface MemoryCluster extends ClusterApi {
  readonly calls: readonly MemoryCall[];
  /** Everything but lists. */
  readonly writes: readonly MemoryCall[];
  /** Ordered by kind, namespace and name. */
  objects(): KubeObject[];
  /** As another actor, bypassing the API. */
  put(...objects: readonly KubeObject[]): void;
  take(id: ObjectId): void;
  fail(fault: MemoryFault): void;
  /** What is removed is still listed so many times. */
  linger(lists: number): void;
}

export interface MemoryClusterOptions {
  readonly objects?: readonly KubeObject[];
  /** All when left out. */
  readonly namespaces?: readonly string[];
  /** Begins every uid, which no two clusters share. */
  readonly uid?: string;
}

interface Stored {
  readonly object: KubeObject;
  /** So many lists until it is gone; undefined while it is there. */
  leaving?: number;
}

/** An error as a cluster gives it. */
export function clusterError(code: string, message = code): EchelonError {
  return new EchelonError({ code, message, hint: 'none: this is a test' });
}

/**
 * A cluster in memory. An apply makes the object what it says, keeping what only a server knows, and does not track fields:
 * for that there is the simulator. A stated uid or resource version must be that of the stored object.
 */
export function memoryCluster({
  objects = [],
  namespaces,
  uid: start = 'uid',
}: MemoryClusterOptions = {}): MemoryCluster {
  const stored = new Map<string, Stored>();
  const calls: MemoryCall[] = [];
  const faults: { readonly fault: MemoryFault; left: number }[] = [];
  let lingering = 0;
  let version = 100;
  let made = 0;
  const known = (object: KubeObject, before?: KubeObject): KubeObject => {
    version += 1;
    if (before === undefined) made += 1;
    const uid = before?.metadata['uid'] ?? object.metadata['uid'] ?? `${start}-${made}`;
    const managedFields = object.metadata['managedFields'] ?? before?.metadata['managedFields'];
    const metadata = { ...object.metadata, uid, resourceVersion: String(version) };
    return { ...object, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
  };
  const put = (object: KubeObject): void => void stored.set(keyOf(idOf(object)), { object: known(object) });
  for (const object of objects) put(object);

  const call = async <T>(told: MemoryCall, act: () => T): Promise<T> => {
    calls.push(told);
    const struck = faults.find(({ fault, left }) => left > 0 && fault.when(told));
    if (struck === undefined) return act();
    struck.left -= 1;
    if (struck.fault.after === true) act();
    throw struck.fault.error;
  };
  const there = (id: ObjectId): KubeObject | undefined => stored.get(keyOf(id))?.object;

  return {
    calls,
    get writes() {
      return calls.filter(({ verb }) => verb !== 'list');
    },
    objects: () => [...stored].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, { object }]) => object),
    put: (...more) => more.forEach(put),
    take: (id) => void stored.delete(keyOf(id)),
    fail: (fault) => void faults.push({ fault, left: fault.times ?? Number.POSITIVE_INFINITY }),
    linger: (lists) => {
      lingering = lists;
    },
    list: (kind, where = {}) =>
      call({ verb: 'list', kind, where }, () => {
        where.signal?.throwIfAborted();
        const found = [...stored].filter(([, { object }]) => object.kind === kind && matches(object, where));
        for (const [key, one] of found) {
          if (one.leaving !== undefined) one.leaving -= 1;
          if (one.leaving !== undefined && one.leaving <= 0) stored.delete(key);
        }
        return found.map(([, { object }]) => where.keep?.(object) ?? object);
      }),
    apply: (object, { force }) =>
      call({ verb: 'apply', ...idOf(object), object, force }, () => {
        const id = idOf(object);
        if (namespaces !== undefined && !namespaces.includes(id.namespace)) throw clusterError('KUBE_NO_NAMESPACE');
        const before = there(id);
        checkStated(object.metadata, before?.metadata);
        stored.set(keyOf(id), { object: known(object, before) });
        return { created: before === undefined };
      }),
    patch: (id, operations) =>
      call({ verb: 'patch', ...named(id) }, () => {
        const before = there(id);
        if (before === undefined) throw clusterError('KUBE_NOT_FOUND');
        const metadata = { ...before.metadata, ...replaced(operations) };
        if (metadata['resourceVersion'] !== before.metadata['resourceVersion']) throw clusterError('KUBE_CONFLICT');
        const object = known({ ...before, metadata }, before);
        stored.set(keyOf(id), { object });
        return object;
      }),
    remove: (id, { uid, resourceVersion, orphan }) =>
      call(
        {
          verb: 'remove',
          ...named(id),
          ...defined({ uid, resourceVersion, orphan }),
        },
        () => {
          const before = stored.get(keyOf(id));
          if (before === undefined) return;
          checkStated({ ...id, ...defined({ uid, resourceVersion }) }, before.object.metadata);
          if (lingering > 0) before.leaving = lingering;
          else stored.delete(keyOf(id));
        },
      ),
  };
}

function named({ kind, namespace, name }: ObjectId): ObjectId {
  return { kind, namespace, name };
}

function idOf({ kind, metadata }: KubeObject): ObjectId {
  return { kind, namespace: metadata.namespace ?? '', name: metadata.name };
}

function keyOf({ kind, namespace, name }: ObjectId): string {
  return `${kind}/${namespace}/${name}`;
}

function matches({ metadata }: KubeObject, { namespace, name, notIn = [], labelSelector }: ListWhere): boolean {
  const labels = (metadata['labels'] ?? {}) as Readonly<Record<string, unknown>>;
  const wanted = labelSelector === undefined || labelSelector === '' ? [] : labelSelector.split(',');
  return (
    (namespace === undefined || metadata.namespace === namespace) &&
    (name === undefined || metadata.name === name) &&
    !notIn.includes(metadata.namespace ?? '') &&
    wanted.every((pair) => labels[pair.slice(0, pair.indexOf('='))] === pair.slice(pair.indexOf('=') + 1))
  );
}

/** A version is no obstacle where nothing is. */
function checkStated(stated: KubeObject['metadata'], stored: KubeObject['metadata'] | undefined): void {
  const { uid, resourceVersion } = stated;
  const isAnother = uid !== undefined && uid !== stored?.['uid'];
  const hasChanged = resourceVersion !== undefined && resourceVersion !== stored?.['resourceVersion'];
  if (isAnother || (hasChanged && stored !== undefined)) throw clusterError('KUBE_CONFLICT');
}

/** Fields of the metadata that a JSON patch replaces; the manager writes no other one. */
function replaced(operations: readonly object[]): Record<string, unknown> {
  return Object.fromEntries(
    (operations as readonly { op: string; path: string; value: unknown }[]).map(({ op, path, value }) => {
      const field = /^\/metadata\/(\w+)$/.exec(path)?.[1];
      if (op !== 'replace' || field === undefined) throw new Error(`${op} ${path} is not a patch of the metadata`);
      return [field, value];
    }),
  );
}
