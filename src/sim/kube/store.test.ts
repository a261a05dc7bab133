import { describe, expect, it } from 'vitest';
import type { KubeObject } from './objects.ts';
import { CONFIG_MAPS } from './resources.ts';
import { Store, type StoreEvent } from './store.ts';

function object(namespace: string, name: string, owner?: string): KubeObject {
  const ownerReferences =
    owner === undefined ? {} : { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: owner }] };
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata: { namespace, name, ...ownerReferences } };
}

const names = (list: readonly KubeObject[]): string[] =>
  list.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);

describe('the store', () => {
  it('lists in the order of keys, of one namespace or of all', () => {
    const store = new Store();
    for (const [namespace, name] of [
      ['b', 'x'],
      ['a', 'y'],
      ['a-b', 'z'],
      ['a', 'x'],
    ] as const)
      store.put(CONFIG_MAPS, object(namespace, name));
    expect(names(store.list(CONFIG_MAPS))).toEqual(['a-b/z', 'a/x', 'a/y', 'b/x']);
    expect(names(store.list(CONFIG_MAPS, 'a'))).toEqual(['a/x', 'a/y']);
    expect(store.list(CONFIG_MAPS, 'none')).toEqual([]);
  });

  it('counts one revision for each change, and tells it', () => {
    const store = new Store();
    const events: StoreEvent[] = [];
    const end = store.listen((event) => events.push(event));
    const before = store.revision;
    store.put(CONFIG_MAPS, object('a', 'x'));
    store.put(CONFIG_MAPS, object('a', 'x'));
    store.remove(CONFIG_MAPS, 'a', 'x');
    end();
    store.put(CONFIG_MAPS, object('a', 'y'));
    expect(
      events.map(({ type, revision, object: told }) => [type, revision - before, told.metadata.resourceVersion]),
    ).toEqual([
      ['ADDED', 1, String(before + 1)],
      ['MODIFIED', 2, String(before + 2)],
      ['DELETED', 3, String(before + 3)],
    ]);
  });

  it('tells what changed since a revision', () => {
    const store = new Store();
    const { metadata } = store.put(CONFIG_MAPS, object('a', 'x'));
    store.put(CONFIG_MAPS, object('a', 'y'));
    expect(store.since(Number(metadata.resourceVersion))?.map(({ object: told }) => told.metadata.name)).toEqual(['y']);
    expect(store.since(store.revision)).toEqual([]);
  });

  it('forgets changes that are long past', () => {
    const store = new Store();
    for (let i = 0; i < 9000; i += 1) store.put(CONFIG_MAPS, object('a', 'x'));
    expect(store.since(2)).toBeUndefined();
    expect(store.since(store.revision - 10)).toHaveLength(10);
  });

  it('knows what an object owns, as of now', () => {
    const store = new Store();
    store.put(CONFIG_MAPS, object('a', 'x', 'u1'));
    store.put(CONFIG_MAPS, object('a', 'y', 'u1'));
    store.put(CONFIG_MAPS, object('a', 'x', 'u2'));
    store.remove(CONFIG_MAPS, 'a', 'y');
    expect(store.dependents('u1')).toEqual([]);
    expect(store.dependents('u2').map((each) => each.object.metadata.name)).toEqual(['x']);
  });
});
