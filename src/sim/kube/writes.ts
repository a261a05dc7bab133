import { defined } from '../../base/index.ts';
import type { Actor } from './apply/updater.ts';
import { setDefaults } from './defaults.ts';
import type { Ids } from './ids.ts';
import { immutableChanges } from './immutable.ts';
import { normalize, timeText } from './normalize.ts';
import { deepEqual, type Fields, isFields, type KubeObject, type ObjectMeta } from './objects.ts';
import { recordUpdate } from './ownership.ts';
import { prepareCreate, prepareUpdate } from './prepare.ts';
import { NAMESPACES, type Resource } from './resources.ts';
import { alreadyExists, badRequest, forbidden, internalError, invalid, modified, notFound } from './status.ts';
import type { Store } from './store.ts';

/** Who writes, and how. */
export interface WriteOptions {
  readonly manager: string;
  readonly dryRun: boolean;
  /** The rest of the object stays as it is. */
  readonly subresource?: 'status';
}

interface Written {
  readonly object: KubeObject;
  readonly created: boolean;
}

/** Makes the object that is to be stored, with its managedFields, of the one that is there. */
export type Produce = (existing: KubeObject | undefined) => KubeObject;

export interface WriteContext {
  readonly store: Store;
  readonly ids: Ids;
  readonly clock: () => Date;
  /** Namespaces come into being when something is created in them. */
  readonly anyNamespace: boolean;
}

/** What only the server may set on an object. */
const SYSTEM_FIELDS = ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink'];
const RESERVED = 'kubernetes';
/** What is kept of generateName, so that the name is no longer than a label may be. */
const GENERATED_LIMIT = 58;

/** Creates and changes objects the way an API server does: defaults, ownership, validation, revisions. */
export class Writes {
  private readonly context: WriteContext;

  constructor(context: WriteContext) {
    this.context = context;
  }

  now(): string {
    return timeText(this.context.clock(), 'time');
  }

  /** POST. */
  create(resource: Resource, namespace: string, value: Fields, options: WriteOptions): KubeObject {
    const object = this.read(resource, value);
    const metadata = object.metadata as unknown as Fields;
    for (const field of SYSTEM_FIELDS) delete metadata[field];
    placeIn(resource, namespace, object.metadata);
    if (!object.metadata.name && object.metadata.generateName)
      object.metadata.name = `${object.metadata.generateName.slice(0, GENERATED_LIMIT)}${this.context.ids.suffix()}`;
    const managed = recordUpdate(resource, undefined, object, this.actor(resource, options));
    return this.insert(resource, withManaged(object, managed), options.dryRun);
  }

  /** Replaces an object by a value, of whatever version it is; through its status only that is read. */
  overwrite(resource: Resource, namespace: string, name: string, value: Fields, options: WriteOptions): KubeObject {
    const produce: Produce = (existing) => {
      const next =
        options.subresource === 'status' && existing !== undefined
          ? withStatus(resource, existing, value)
          : this.read(resource, value);
      const { resourceVersion: _, ...metadata } = next.metadata;
      const unversioned = { ...next, metadata };
      return withManaged(unversioned, recordUpdate(resource, existing, unversioned, this.actor(resource, options)));
    };
    return this.update(resource, namespace, name, produce, options).object;
  }

  /** PUT and PATCH. */
  update(resource: Resource, namespace: string, name: string, produce: Produce, options: WriteOptions): Written {
    const existing = this.context.store.get(resource, namespace, name);
    const produced = produce(existing);
    const object: KubeObject = { ...produced, metadata: { ...produced.metadata } };
    placeIn(resource, namespace, object.metadata);
    if (object.metadata.name !== name)
      throw badRequest(`the name of the object (${object.metadata.name}) does not match the name on the URL (${name})`);
    if (existing !== undefined) return { object: this.replace(resource, object, existing, options), created: false };
    delete object.metadata.resourceVersion;
    return { object: this.insert(resource, object, options.dryRun), created: true };
  }

  /** A body as an object of the kind, with defaults. */
  read(resource: Resource, value: Fields): KubeObject {
    const { kind, apiVersion, type } = resource;
    const secret = kind === 'Secret' ? withStringData(value) : value;
    const normal = normalize({ ...secret, kind, apiVersion }, type) as KubeObject;
    const { kind: _, apiVersion: __, metadata, ...rest } = normal;
    const given = (isFields(value['metadata']) ? value['metadata'] : {})['managedFields'];
    const object: KubeObject = { kind, apiVersion, metadata: { ...metadata }, ...rest };
    if (Array.isArray(given)) object.metadata.managedFields = given as NonNullable<ObjectMeta['managedFields']>;
    setDefaults(object);
    return object;
  }

  actor(resource: Resource, { manager, subresource }: WriteOptions): Actor {
    return { manager, subresource: subresource ?? '', apiVersion: resource.apiVersion, time: this.now() };
  }

  requireNamespace(resource: Resource, namespace: string, name: string): void {
    if (!resource.namespaced) return;
    const { store, anyNamespace } = this.context;
    const found = store.get(NAMESPACES, undefined, namespace);
    if (found === undefined && anyNamespace) this.addNamespace(namespace);
    else if (found === undefined) throw notFound(NAMESPACES, namespace);
    else if (found.metadata.deletionTimestamp !== undefined) {
      const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
      const message = `namespace ${namespace} is being terminated`;
      throw forbidden(resource, name, why, [{ reason: 'NamespaceTerminating', message, field: 'metadata.namespace' }]);
    }
  }

  addNamespace(name: string): void {
    if (this.context.store.get(NAMESPACES, undefined, name) !== undefined) return;
    this.create(NAMESPACES, '', { metadata: { name } }, { manager: RESERVED, dryRun: false });
  }

  private insert(resource: Resource, object: KubeObject, dryRun: boolean): KubeObject {
    const { store, ids } = this.context;
    const { namespace = '', name } = object.metadata;
    this.requireNamespace(resource, namespace, name);
    const { resourceVersion, ...rest } = object.metadata;
    const metadata: ObjectMeta = { ...rest, uid: ids.uid(), creationTimestamp: this.now() };
    delete metadata.generation;
    if (resource.hasGeneration) metadata.generation = 1;
    const prepared: KubeObject = { ...object, metadata };
    if (resource.hasStatus) prepared['status'] = this.emptyStatus(resource);
    prepareCreate(prepared, store);
    if (resourceVersion !== undefined)
      throw internalError('resourceVersion should not be set on objects to be created');
    if (store.get(resource, namespace, name) !== undefined) throw alreadyExists(resource, name);
    return dryRun ? prepared : store.put(resource, prepared);
  }

  private emptyStatus(resource: Resource): unknown {
    return this.read(resource, {})['status'];
  }

  private replace(resource: Resource, object: KubeObject, existing: KubeObject, options: WriteOptions): KubeObject {
    const { store } = this.context;
    this.checkVersion(resource, object, existing);
    const next = keepSystemFields(object, existing);
    if (options.subresource === 'status') keepAllButStatus(next, existing, resource);
    else if (resource.hasStatus) keepField(next, existing, 'status');
    prepareUpdate(next, existing, store);
    if (resource.hasGeneration && options.subresource !== 'status' && isNewGeneration(next, existing))
      next.metadata.generation = (existing.metadata.generation ?? 0) + 1;
    const refused = immutableChanges(next, existing);
    if (refused.length > 0) throw invalid(resource, next.metadata.name, refused);
    const stored = withOldTimes(next, existing);
    if (deepEqual(stored, existing)) return existing;
    if (isFinalized(stored, existing)) {
      if (!options.dryRun) store.remove(resource, existing.metadata.namespace, existing.metadata.name);
      return stored;
    }
    return options.dryRun ? stored : store.put(resource, stored);
  }

  private checkVersion(resource: Resource, object: KubeObject, existing: KubeObject): void {
    const { name, resourceVersion } = object.metadata;
    if (resourceVersion === undefined && !resource.unconditionalUpdate)
      throw invalid({ group: resource.group, kind: resource.name }, name, [
        {
          reason: 'FieldValueInvalid',
          field: 'metadata.resourceVersion',
          body: 'Invalid value: 0: must be specified for an update',
        },
      ]);
    if (resourceVersion !== undefined && resourceVersion !== existing.metadata.resourceVersion)
      throw modified(resource, name);
  }
}

/** What is there, with the metadata and the status of a value. */
function withStatus(resource: Resource, existing: KubeObject, value: Fields): KubeObject {
  const type = resource.type.fields.get('status')?.type;
  const status = type === undefined ? undefined : normalize(value['status'], type);
  return { ...existing, metadata: value['metadata'] as ObjectMeta, status };
}

/** stringData is written, never read: it ends up in data. */
function withStringData(value: Fields): Fields {
  const { stringData, ...rest } = value;
  if (!isFields(stringData)) return value;
  const encoded = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(String(text)).toString('base64')]);
  return { ...rest, data: { ...(isFields(rest['data']) ? rest['data'] : {}), ...Object.fromEntries(encoded) } };
}

function withManaged(object: KubeObject, managedFields: ObjectMeta['managedFields']): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
}

function placeIn(resource: Resource, namespace: string, metadata: ObjectMeta): void {
  if (!resource.namespaced) {
    delete metadata.namespace;
    return;
  }
  if (metadata.namespace !== undefined && metadata.namespace !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  metadata.namespace = namespace;
}

function keepSystemFields(object: KubeObject, existing: KubeObject): KubeObject {
  const {
    resourceVersion,
    creationTimestamp,
    deletionTimestamp,
    deletionGracePeriodSeconds,
    generation,
    uid = '',
  } = existing.metadata;
  const {
    resourceVersion: _,
    creationTimestamp: __,
    deletionTimestamp: ___,
    deletionGracePeriodSeconds: ____,
    generation: _____,
    ...own
  } = object.metadata;
  const metadata: ObjectMeta = {
    ...own,
    uid: own.uid ?? uid,
    ...defined({ resourceVersion, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation }),
  };
  return { ...object, metadata };
}

function keepField(object: KubeObject, existing: KubeObject, field: string): void {
  if (existing[field] === undefined) delete object[field];
  else object[field] = existing[field];
}

function keepAllButStatus(object: KubeObject, existing: KubeObject, resource: Resource): void {
  for (const field of Object.keys({ ...object, ...existing })) {
    if (field !== 'status' && field !== 'metadata') keepField(object, existing, field);
  }
  if (!resource.resetOfStatus.children.has('f:metadata')) return;
  for (const field of resource.resetOfStatus.children.get('f:metadata')?.members ?? [])
    keepField(object.metadata as never, existing.metadata as never, field.slice(2));
}

/** Annotations of a deployment count too: they are copied to its replica sets. */
function isNewGeneration(object: KubeObject, existing: KubeObject): boolean {
  if (!deepEqual(object['spec'], existing['spec'])) return true;
  return object.kind === 'Deployment' && !deepEqual(object.metadata.annotations, existing.metadata.annotations);
}

/** Where nothing but times of managers changed, nothing changed. */
function withOldTimes(object: KubeObject, existing: KubeObject): KubeObject {
  if ((object.metadata.managedFields ?? []).length !== (existing.metadata.managedFields ?? []).length) return object;
  const timeless = (of: KubeObject): unknown => ({
    ...of,
    metadata: {
      ...of.metadata,
      managedFields: (of.metadata.managedFields ?? []).map(({ time: _, ...entry }) => entry),
    },
  });
  return deepEqual(timeless(object), timeless(existing)) ? existing : object;
}

function isFinalized(object: KubeObject, existing: KubeObject): boolean {
  return (
    existing.metadata.deletionTimestamp !== undefined &&
    (object.metadata.finalizers ?? []).length === 0 &&
    (existing.metadata.deletionGracePeriodSeconds ?? 0) === 0
  );
}
