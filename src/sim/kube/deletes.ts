import { timeText } from './normalize.ts';
import { fieldsAt, type KubeObject, type ObjectMeta } from './objects.ts';
import { NAMESPACES, type Resource } from './resources.ts';
import { conflict, forbidden, notFound } from './status.ts';
import type { Store } from './store.ts';

export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

export interface DeleteOptions {
  readonly propagationPolicy?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly dryRun: boolean;
}

interface Deleted {
  readonly object: KubeObject;
  /** False while finalizers keep it. */
  readonly gone: boolean;
}

const SYSTEM_NAMESPACES = ['default', 'kube-system', 'kube-public'];

/** Deletes objects: at once, or when their finalizers are done. */
export class Deletes {
  private readonly store: Store;
  private readonly clock: () => Date;

  constructor(store: Store, clock: () => Date) {
    this.store = store;
    this.clock = clock;
  }

  delete(resource: Resource, namespace: string, name: string, options: DeleteOptions): Deleted {
    const existing = this.store.get(resource, namespace, name);
    if (existing === undefined) throw notFound(resource, name);
    if (resource === NAMESPACES && SYSTEM_NAMESPACES.includes(name))
      throw forbidden(resource, name, 'this namespace may not be deleted');
    checkPreconditions(resource, existing, options);
    const finalizers = finalizersFor(resource, existing, options.propagationPolicy);
    if (finalizers.length === 0 && resource !== NAMESPACES) {
      const removed = options.dryRun ? undefined : this.store.remove(resource, namespace, name);
      return { object: removed ?? existing, gone: true };
    }
    const object = this.markDeleted(resource, existing, finalizers);
    if (object === existing || options.dryRun) return { object, gone: false };
    return { object: this.store.put(resource, object), gone: false };
  }

  private markDeleted(resource: Resource, existing: KubeObject, finalizers: readonly string[]): KubeObject {
    if (
      existing.metadata.deletionTimestamp !== undefined &&
      finalizers.length === (existing.metadata.finalizers ?? []).length
    )
      return existing;
    const { generation } = existing.metadata;
    const isFirst = existing.metadata.deletionTimestamp === undefined;
    const metadata: ObjectMeta = {
      ...existing.metadata,
      ...(generation === undefined || !isFirst ? {} : { generation: generation + 1 }),
      deletionTimestamp: existing.metadata.deletionTimestamp ?? timeText(this.clock(), 'time'),
      ...(resource === NAMESPACES ? {} : { deletionGracePeriodSeconds: 0 }),
      ...(finalizers.length === 0 ? {} : { finalizers: [...finalizers] }),
    };
    if (resource !== NAMESPACES) return { ...existing, metadata };
    return { ...existing, metadata, status: { ...fieldsAt(existing, 'status'), phase: 'Terminating' } };
  }
}

function checkPreconditions(
  { group, kind }: Resource,
  { metadata }: KubeObject,
  { uid, resourceVersion }: DeleteOptions,
): void {
  const what = { group, name: kind };
  if (uid !== undefined && uid !== metadata.uid)
    throw conflict(
      what,
      metadata.name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
    throw conflict(
      what,
      metadata.name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
}

/** Jobs leave their pods behind unless told otherwise. */
function finalizersFor(resource: Resource, { metadata }: KubeObject, policy: string | undefined): string[] {
  const own = (metadata.finalizers ?? []).filter(
    (name) => policy === undefined || (name !== FOREGROUND && name !== ORPHAN),
  );
  const effective =
    policy ?? (own.includes(FOREGROUND) ? 'Foreground' : resource.kind === 'Job' ? 'Orphan' : 'Background');
  const wanted = effective === 'Foreground' ? [FOREGROUND] : effective === 'Orphan' ? [ORPHAN] : [];
  return [...new Set([...own, ...wanted])];
}
