import type { Fields, KubeObject } from './objects.ts';
import { type Resource, resourceOfKind } from './resources.ts';
import { notFound } from './status.ts';
import type { Store } from './store.ts';
import type { Writes } from './writes.ts';

const MANAGER = 'sim';

/** Direct access to the objects of a simulated cluster, without HTTP and without faults. */
export class SimStore {
  private readonly store: Store;
  private readonly writes: Writes;
  private readonly settle: () => void;

  constructor(store: Store, writes: Writes, settle: () => void) {
    this.store = store;
    this.writes = writes;
    this.settle = settle;
  }

  get revision(): number {
    return this.store.revision;
  }

  get(apiVersion: string, kind: string, namespace: string | undefined, name: string): KubeObject | undefined {
    return this.store.get(served(apiVersion, kind), namespace, name);
  }

  /** Of one namespace or of all. */
  list(apiVersion: string, kind: string, namespace?: string): readonly KubeObject[] {
    return this.store.list(served(apiVersion, kind), namespace);
  }

  /** Creates or replaces an object, with defaults and validation; the manager owns what it changes. */
  put(object: Fields, manager = MANAGER): KubeObject {
    const { apiVersion, kind, metadata } = object as KubeObject;
    const resource = served(apiVersion, kind);
    const { namespace = '', name } = metadata;
    const options = { manager, dryRun: false };
    const existing = this.store.get(resource, namespace, name);
    const stored =
      existing === undefined
        ? this.writes.create(resource, namespace, object, options)
        : this.writes.overwrite(resource, namespace, name, object, options);
    this.settle();
    return stored;
  }

  /** Removes an object at once, whatever its finalizers say. */
  delete(apiVersion: string, kind: string, namespace: string | undefined, name: string): void {
    const resource = served(apiVersion, kind);
    if (this.store.remove(resource, namespace, name) === undefined) throw notFound(resource, name);
    this.settle();
  }
}

function served(apiVersion: string, kind: string): Resource {
  const resource = resourceOfKind(apiVersion, kind);
  if (resource === undefined) throw new Error(`the simulated API does not serve ${apiVersion} ${kind}`);
  return resource;
}
