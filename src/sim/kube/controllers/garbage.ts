import { FOREGROUND, ORPHAN } from '../deletes.ts';
import type { KubeObject } from '../objects.ts';
import { type Resource, resourceOfKind } from '../resources.ts';
import type { ControlContext } from './context.ts';
import { removeObject, writeObject } from './write-as.ts';

/** Whether everything that owned an object is gone. Owners of kinds that are not served count as there. */
export function isOrphaned({ metadata }: KubeObject, { store }: ControlContext): boolean {
  const owners = metadata.ownerReferences ?? [];
  return (
    owners.length > 0 &&
    owners.every(({ apiVersion, kind, name, uid }) => {
      const resource = resourceOfKind(apiVersion, kind);
      if (resource === undefined) return false;
      const owner = store.get(resource, resource.namespaced ? metadata.namespace : undefined, name);
      return owner?.metadata.uid !== uid;
    })
  );
}

/** Deletes what an object that is gone was the last owner of. */
export function collect({ metadata }: KubeObject, context: ControlContext): void {
  for (const { resource, object } of context.store.dependents(metadata.uid ?? '')) {
    if (isOrphaned(object, context)) removeObject(resource, object, context);
    else writeObject(resource, withoutOwner(object, metadata.uid), context);
  }
}

/** Goes on with a deletion that waits for its dependents: to be let go, or to be gone. */
export function reconcileDeleted(resource: Resource, object: KubeObject, context: ControlContext): void {
  const { uid = '', finalizers = [] } = object.metadata;
  const dependents = context.store.dependents(uid);
  if (finalizers.includes(ORPHAN)) {
    for (const each of dependents) writeObject(each.resource, withoutOwner(each.object, uid), context);
    finish(resource, object, ORPHAN, context);
  } else if (finalizers.includes(FOREGROUND)) {
    const blocking = dependents.filter((each) => blocks(each.object, uid));
    if (blocking.length === 0) finish(resource, object, FOREGROUND, context);
    for (const each of blocking) {
      const { namespace = '', name, deletionTimestamp } = each.object.metadata;
      if (deletionTimestamp === undefined)
        context.deletes.delete(each.resource, namespace, name, { propagationPolicy: 'Foreground', dryRun: false });
    }
  }
}

function blocks({ metadata }: KubeObject, uid: string): boolean {
  return (metadata.ownerReferences ?? []).some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true);
}

function withoutOwner(object: KubeObject, uid: string | undefined): KubeObject {
  const ownerReferences = (object.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid);
  const { ownerReferences: _, ...metadata } = object.metadata;
  return { ...object, metadata: ownerReferences.length === 0 ? metadata : { ...metadata, ownerReferences } };
}

function finish(resource: Resource, object: KubeObject, finalizer: string, context: ControlContext): void {
  const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
  const { finalizers: _, ...metadata } = object.metadata;
  writeObject(
    resource,
    { ...object, metadata: finalizers.length === 0 ? metadata : { ...metadata, finalizers } },
    context,
  );
}
