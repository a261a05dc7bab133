import { decodeObject, parseFields } from '../decode.ts';
import { type DeleteOptions, Deletes } from '../deletes.ts';
import { type Fields, fieldsAt, type KubeObject } from '../objects.ts';
import { recordUpdate } from '../ownership.ts';
import { NAMESPACES } from '../resources.ts';
import { badRequest, conflict, notFound, type Status } from '../status.ts';
import type { Store } from '../store.ts';
import type { WriteContext, WriteOptions } from '../writes.ts';
import { Writes } from '../writes.ts';
import { Lists } from './list.ts';
import { managerOf, type RequestOptions, writeOptions } from './options.ts';
import { patchKind, producePatched } from './patch.ts';
import type { Route } from './route.ts';

/** A request without its transport. */
export interface ApiRequest {
  readonly query: URLSearchParams;
  readonly contentType: string;
  readonly userAgent: string;
  readonly body: string;
}

interface ApiAnswer {
  readonly code: number;
  readonly body: unknown;
  readonly warnings: readonly string[];
}

/** Get, list, create, update, patch and delete of every resource. */
export class ResourceApi {
  private readonly lists: Lists;
  private readonly store: Store;
  private readonly writes: Writes;
  private readonly deletes: Deletes;

  constructor(context: WriteContext) {
    this.store = context.store;
    this.writes = new Writes(context);
    this.deletes = new Deletes(context.store, context.clock);
    this.lists = new Lists(context.store);
  }

  answer(route: Route, request: ApiRequest): ApiAnswer {
    switch (route.verb) {
      case 'create':
        return this.create(route, request);
      case 'update':
        return this.update(route, request);
      case 'patch':
        return this.patch(route, request);
      case 'delete':
        return this.delete(route, request);
      case 'get':
        return ok(this.get(route));
      default:
        return ok(this.list(route, request.query));
    }
  }

  private get({ resource, namespace, name }: Route): KubeObject {
    const object = this.store.get(resource, namespace, name);
    if (object === undefined) throw notFound(resource, name);
    return object;
  }

  private list({ resource, namespace }: Route, query: URLSearchParams): Fields {
    const { metadata, items } = this.lists.list(resource, namespace, query);
    const bare = items.map(({ kind: _, apiVersion: __, ...rest }) => rest);
    return { kind: `${resource.kind}List`, apiVersion: resource.apiVersion, metadata, items: bare };
  }

  private create({ resource, namespace }: Route, request: ApiRequest): ApiAnswer {
    const options = writeOptions(request.query);
    const { value, strictErrors } = decodeObject(request.body, request.contentType, resource, options.fieldValidation);
    const object = this.writes.create(resource, namespace, value, this.writeAs(options, request));
    return { code: 201, body: object, warnings: strictErrors };
  }

  private update(route: Route, request: ApiRequest): ApiAnswer {
    const { resource, namespace, name } = route;
    const options = writeOptions(request.query);
    const { value, strictErrors } = decodeObject(request.body, request.contentType, resource, options.fieldValidation);
    const as = this.writeAs(options, request);
    const next = this.writes.read(resource, value);
    checkNames(next, namespace, name);
    const produce = (existing: KubeObject | undefined): KubeObject => {
      if (existing === undefined && !resource.createsOnUpdate) throw notFound(resource, name);
      checkUid(route, next, existing);
      const managedFields = recordUpdate(resource, existing, next, this.writes.actor(resource, as));
      const { managedFields: _, ...metadata } = next.metadata;
      return { ...next, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
    };
    const { object, created } = this.writes.update(resource, namespace, name, produce, as);
    return { code: created ? 201 : 200, body: object, warnings: strictErrors };
  }

  private patch(route: Route, request: ApiRequest): ApiAnswer {
    const { resource, namespace, name } = route;
    const kind = patchKind(request.contentType);
    const options = writeOptions(request.query);
    const as = this.writeAs(options, request);
    const warnings: string[] = [];
    const produce = producePatched(
      { kind, body: request.body, mode: options.fieldValidation, force: options.force, warnings },
      { resource, namespace, name, writes: this.writes, actor: this.writes.actor(resource, as) },
    );
    const { object, created } = this.writes.update(resource, namespace, name, produce, as);
    return { code: created ? 201 : 200, body: object, warnings };
  }

  private delete({ resource, namespace, name }: Route, request: ApiRequest): ApiAnswer {
    const options = deleteOptions(request);
    const { object, gone } = this.deletes.delete(resource, namespace, name, options);
    if (!gone || resource.returnsDeleted || resource === NAMESPACES) return ok(object);
    const { group, name: kind } = resource;
    const { uid = '' } = object.metadata;
    const details = { name, ...(group === '' ? {} : { group }), kind, uid };
    const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
    return ok(status);
  }

  private writeAs({ fieldManager, dryRun }: RequestOptions, { userAgent }: ApiRequest): WriteOptions {
    return { manager: managerOf(fieldManager, userAgent), dryRun };
  }
}

function ok(body: unknown): ApiAnswer {
  return { code: 200, body, warnings: [] };
}

function checkNames({ metadata }: KubeObject, namespace: string, name: string): void {
  if (metadata.namespace !== undefined && metadata.namespace !== namespace && namespace !== '')
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  if (!metadata.name) metadata.name = name;
  if (metadata.name !== name)
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
}

/** A PUT that names a uid means that very object. */
function checkUid({ resource, namespace, name }: Route, next: KubeObject, existing: KubeObject | undefined): void {
  const { uid } = next.metadata;
  if (uid === undefined || uid === existing?.metadata.uid) return;
  const key = `/registry/${resource.name}/${namespace === '' ? '' : `${namespace}/`}${name}`;
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${existing?.metadata.uid ?? ''}`;
  throw conflict(
    resource,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`,
  );
}

/** From the body, and where it has none from the query. */
function deleteOptions({ body, query }: ApiRequest): DeleteOptions {
  const given = body.trim() === '' ? {} : parseFields(body);
  const { uid, resourceVersion } = fieldsAt(given, 'preconditions');
  const propagationPolicy = given['propagationPolicy'] ?? query.get('propagationPolicy') ?? undefined;
  const dryRun = Array.isArray(given['dryRun']) ? given['dryRun'].length > 0 : query.getAll('dryRun').includes('All');
  return {
    ...(propagationPolicy === undefined ? {} : { propagationPolicy: String(propagationPolicy) }),
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
    dryRun,
  };
}
