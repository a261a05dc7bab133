import { defined } from '../../../base/index.ts';
import { type Fields, fieldsAt, isFields, type KubeObject, type OwnerReference } from '../objects.ts';
import type { Resource } from '../resources.ts';
import type { ControlContext } from './context.ts';

const CONTROLLER_MANAGER = 'kube-controller-manager';

/** Writes the status of an object, and annotations where some are given. */
export function writeStatus(
  resource: Resource,
  object: KubeObject,
  status: Fields,
  context: ControlContext,
  {
    annotations,
    manager = CONTROLLER_MANAGER,
  }: { readonly annotations?: Record<string, string>; readonly manager?: string } = {},
): void {
  const { namespace = '', name } = object.metadata;
  const metadata = annotations === undefined ? object.metadata : { ...object.metadata, annotations };
  context.writes.overwrite(resource, namespace, name, { ...object, metadata, status } as Fields, {
    manager,
    dryRun: false,
    subresource: 'status',
  });
}

export function writeObject(resource: Resource, object: KubeObject, context: ControlContext): void {
  const { namespace = '', name } = object.metadata;
  context.writes.overwrite(resource, namespace, name, object as Fields, {
    manager: CONTROLLER_MANAGER,
    dryRun: false,
  });
}

export function createObject(
  resource: Resource,
  namespace: string,
  object: Fields,
  context: ControlContext,
): KubeObject {
  return context.writes.create(resource, namespace, object, {
    manager: CONTROLLER_MANAGER,
    dryRun: false,
  });
}

export function removeObject(resource: Resource, { metadata }: KubeObject, context: ControlContext): void {
  context.deletes.delete(resource, metadata.namespace ?? '', metadata.name, {
    propagationPolicy: 'Background',
    dryRun: false,
  });
}

export function ownerOf({ apiVersion, kind, metadata }: KubeObject): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true, blockOwnerDeletion: true };
}

/** Objects of a resource that an object owns as their controller. */
export function controlled(resource: Resource, { metadata }: KubeObject, { store }: ControlContext): KubeObject[] {
  const { uid = '' } = metadata;
  return store
    .dependents(uid)
    .filter((dependent) => dependent.resource === resource)
    .map(({ object }) => object)
    .filter((object) =>
      object.metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.controller === true),
    );
}

/** A condition of a status; its times change only when its status does. */
export function condition(object: KubeObject, next: Fields, now: string): Fields {
  const before = (fieldsAt(object, 'status')['conditions'] as Fields[] | undefined)?.find(
    ({ type }) => type === next['type'],
  );
  const isSame = isFields(before) && before['status'] === next['status'];
  return {
    type: next['type'],
    status: next['status'],
    ...('lastUpdateTime' in next
      ? {
          lastUpdateTime:
            isSame && before['reason'] === next['reason'] && before['message'] === next['message']
              ? before['lastUpdateTime']
              : now,
        }
      : {}),
    lastTransitionTime: isSame ? before['lastTransitionTime'] : now,
    ...defined({ reason: next['reason'], message: next['message'] }),
  };
}
