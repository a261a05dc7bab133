import { type KubeObject, listAt } from '../objects.ts';
import { NAMESPACES, RESOURCES } from '../resources.ts';
import type { ControlContext } from './context.ts';
import { removeObject } from './write-as.ts';

/** Empties a namespace that is being deleted, and then lets it go. */
export function reconcileNamespace(namespace: KubeObject, context: ControlContext): void {
  const { name, deletionTimestamp } = namespace.metadata;
  if (deletionTimestamp === undefined) return;
  let left = 0;
  for (const resource of RESOURCES.filter(({ namespaced }) => namespaced)) {
    for (const object of context.store.list(resource, name)) {
      if (object.metadata.deletionTimestamp === undefined) removeObject(resource, object, context);
      if (context.store.get(resource, name, object.metadata.name) !== undefined) left += 1;
    }
  }
  if (left > 0 || listAt(namespace, 'metadata', 'finalizers').length > 0) return;
  context.store.remove(NAMESPACES, undefined, name);
}
