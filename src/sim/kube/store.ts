import { byText, defined } from '../../base/index.ts';
import type { KubeObject } from './objects.ts';
import { RESOURCES, type Resource } from './resources.ts';

/** One change of one object. */
export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: Resource;
  readonly object: KubeObject;
  /** Before the change. */
  readonly previous?: KubeObject;
  readonly revision: number;
}

export type StoreListener = (event: StoreEvent) => void;

/** How many changes a watch can go back. */
const HISTORY_LIMIT = 4000;

interface Shelf {
  readonly objects: Map<string, KubeObject>;
  /** Keys in the order of lists; undefined when some came or went. */
  keys: readonly string[] | undefined;
}

/** `namespace/name`, or the name of what has no namespace. */
export function keyOf(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

/** All objects of a cluster, by resource, under one counter of revisions. Objects in it are never changed in place. */
export class Store {
  private readonly shelves = new Map<Resource, Shelf>(
    RESOURCES.map((resource) => [resource, { objects: new Map(), keys: undefined }]),
  );
  private readonly owned = new Map<string, Map<KubeObject, Resource>>();
  private readonly listeners = new Set<StoreListener>();
  private readonly past: StoreEvent[] = [];
  private current = 1;
  /** The newest revision that a watch cannot go back before. */
  private forgotten = 0;

  get revision(): number {
    return this.current;
  }

  get(resource: Resource, namespace: string | undefined, name: string): KubeObject | undefined {
    return this.shelf(resource).objects.get(keyOf(namespace, name));
  }

  /** Of one namespace or of all, in the order of their keys. */
  list(resource: Resource, namespace?: string): readonly KubeObject[] {
    const shelf = this.shelf(resource);
    shelf.keys ??= [...shelf.objects.keys()].sort(byText);
    const prefix = keyOf(namespace, '');
    const found: KubeObject[] = [];
    for (const key of shelf.keys) {
      const object = key.startsWith(prefix) ? shelf.objects.get(key) : undefined;
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  /** Objects that name this uid as an owner. */
  dependents(uid: string): { readonly resource: Resource; readonly object: KubeObject }[] {
    return [...(this.owned.get(uid) ?? [])].map(([object, resource]) => ({ resource, object }));
  }

  /** Puts an object in, under the next revision. */
  put(resource: Resource, object: KubeObject): KubeObject {
    const shelf = this.shelf(resource);
    const key = keyOf(object.metadata.namespace, object.metadata.name);
    const previous = shelf.objects.get(key);
    this.current += 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.current) } };
    shelf.objects.set(key, stored);
    if (previous === undefined) shelf.keys = undefined;
    this.index(resource, stored, previous);
    this.emit({
      type: previous === undefined ? 'ADDED' : 'MODIFIED',
      resource,
      object: stored,
      ...defined({ previous }),
      revision: this.current,
    });
    return stored;
  }

  /** Removes an object; it is reported and returned as it was, under the next revision. */
  remove(resource: Resource, namespace: string | undefined, name: string): KubeObject | undefined {
    const shelf = this.shelf(resource);
    const previous = shelf.objects.get(keyOf(namespace, name));
    if (previous === undefined) return undefined;
    this.current += 1;
    shelf.objects.delete(keyOf(namespace, name));
    shelf.keys = undefined;
    this.index(resource, undefined, previous);
    const object = { ...previous, metadata: { ...previous.metadata, resourceVersion: String(this.current) } };
    this.emit({ type: 'DELETED', resource, object, previous, revision: this.current });
    return object;
  }

  /** Calls back on every change from now on; the function that is returned ends it. */
  listen(listener: StoreListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Changes after a revision; undefined when they are forgotten. */
  since(revision: number): readonly StoreEvent[] | undefined {
    return revision < this.forgotten ? undefined : this.past.filter((event) => event.revision > revision);
  }

  private shelf(resource: Resource): Shelf {
    const shelf = this.shelves.get(resource);
    if (shelf === undefined) throw new Error(`the simulated API has no ${resource.name}`);
    return shelf;
  }

  private index(resource: Resource, object: KubeObject | undefined, previous: KubeObject | undefined): void {
    for (const { uid } of previous?.metadata.ownerReferences ?? []) {
      const owned = this.owned.get(uid);
      if (previous !== undefined) owned?.delete(previous);
      if (owned?.size === 0) this.owned.delete(uid);
    }
    if (object === undefined) return;
    for (const { uid } of object.metadata.ownerReferences ?? []) {
      const owned = this.owned.get(uid) ?? new Map<KubeObject, Resource>();
      this.owned.set(uid, owned.set(object, resource));
    }
  }

  private emit(event: StoreEvent): void {
    this.past.push(event);
    if (this.past.length > HISTORY_LIMIT * 2) this.forgotten = this.past.splice(0, HISTORY_LIMIT).at(-1)?.revision ?? 0;
    for (const listener of [...this.listeners]) listener(event);
  }
}
