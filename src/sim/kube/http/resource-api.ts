import { load } from 'js-yaml';
import { decodeObject } from '../decode.ts';
import { type DeleteOptions, Deletes } from '../deletes.ts';
import { jsonError } from '../json-errors.ts';
import { type Fields, fieldsAt, isFields, type KubeObject } from '../objects.ts';
import { recordUpdate } from '../ownership.ts';
import { JOBS, NAMESPACES } from '../resources.ts';
import { badRequest, conflict, notFound, type Status } from '../status.ts';
import type { Store } from '../store.ts';
import type { WriteContext, WriteOptions } from '../writes.ts';
import { Writes } from '../writes.ts';
import { Lists } from './list.ts';
import { managerOf, type RequestOptions, writeOptions } from './options.ts';
import { patchKind, producePatched } from './patch.ts';
import type { Route } from './route.ts';
import { readScale, scaleOf, withReplicas } from './scale.ts';

/** A request without its transport. */
export interface ApiRequest {
  readonly query: URLSearchParams;
  readonly contentType: string;
  readonly userAgent: string;
  readonly body: string;
}

export interface ApiAnswer {
  readonly code: number;
  readonly body: unknown;
  readonly warnings: readonly string[];
}

const PODS_ARE_KEPT =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

/** Get, list, create, update, patch and delete of every resource. */
export class ResourceApi {
  readonly lists: Lists;
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
      case 'deletecollection':
        return this.deleteCollection(route, request);
      case 'get':
        return ok(this.get(route));
      default:
        return ok(this.list(route, request.query));
    }
  }

  private get(route: Route): unknown {
    const { resource, namespace, name, subresource } = route;
    const object = this.store.get(resource, namespace, name);
    if (object === undefined) throw notFound(resource, name);
    return subresource === 'scale' ? scaleOf(object) : object;
  }

  private list({ resource, namespace }: Route, query: URLSearchParams): Fields {
    const { metadata, items } = this.lists.list(resource, namespace, query);
    const bare = items.map(({ kind: _, apiVersion: __, ...rest }) => rest);
    return { kind: `${resource.kind}List`, apiVersion: resource.apiVersion, metadata, items: bare };
  }

  private create({ resource, namespace }: Route, request: ApiRequest): ApiAnswer {
    const options = writeOptions(request.query, 'CreateOptions', false);
    const { value, strictErrors } = decodeObject(request.body, request.contentType, resource, options.fieldValidation);
    const object = this.writes.create(resource, namespace, value, this.writeAs(options, request, ''));
    return { code: 201, body: object, warnings: strictErrors };
  }

  private update(route: Route, request: ApiRequest): ApiAnswer {
    const { resource, namespace, name, subresource } = route;
    const options = writeOptions(request.query, 'UpdateOptions', false);
    if (subresource === 'scale') return this.scale(route, readScale(request.body), options, request);
    const { value, strictErrors } = decodeObject(request.body, request.contentType, resource, options.fieldValidation);
    const as = this.writeAs(options, request, subresource);
    const next = this.writes.read(resource, value);
    checkNames(next, namespace, name);
    const produce = (existing: KubeObject | undefined): KubeObject => {
      if (existing === undefined && (!resource.createsOnUpdate || subresource !== '')) throw notFound(resource, name);
      checkUid(route, next, existing);
      const managedFields = recordUpdate(resource, existing, next, this.writes.actor(resource, as));
      const { managedFields: _, ...metadata } = next.metadata;
      return { ...next, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
    };
    const { object, created } = this.writes.update(resource, namespace, name, produce, as);
    return { code: created ? 201 : 200, body: object, warnings: strictErrors };
  }

  private patch(route: Route, request: ApiRequest): ApiAnswer {
    const { resource, namespace, name, subresource } = route;
    const kind = patchKind(request.contentType);
    const options = writeOptions(request.query, 'PatchOptions', kind === 'apply');
    if (subresource === 'scale') {
      const existing = this.store.get(resource, namespace, name);
      if (existing === undefined) throw notFound(resource, name);
      return this.scale(route, readScale(request.body, scaleOf(existing)), options, request);
    }
    const as = this.writeAs(options, request, subresource);
    const warnings: string[] = [];
    const produce = producePatched(
      { kind, body: request.body, mode: options.fieldValidation, force: options.force, subresource, warnings },
      { resource, namespace, name, writes: this.writes, actor: this.writes.actor(resource, as) },
    );
    const { object, created } = this.writes.update(resource, namespace, name, produce, as);
    return { code: created ? 201 : 200, body: object, warnings };
  }

  private scale(route: Route, replicas: number, options: RequestOptions, request: ApiRequest): ApiAnswer {
    const { resource, namespace, name } = route;
    const as = this.writeAs(options, request, 'scale');
    const { object } = this.writes.update(
      resource,
      namespace,
      name,
      (existing) => {
        if (existing === undefined) throw notFound(resource, name);
        const next = withReplicas(existing, replicas);
        const managedFields = recordUpdate(resource, existing, next, this.writes.actor(resource, as));
        return managedFields === undefined ? next : { ...next, metadata: { ...next.metadata, managedFields } };
      },
      as,
    );
    return ok(scaleOf(object));
  }

  private delete({ resource, namespace, name }: Route, request: ApiRequest): ApiAnswer {
    const options = deleteOptions(request);
    const { object, gone } = this.deletes.delete(resource, namespace, name, options);
    const warnings = resource === JOBS && options.propagationPolicy === undefined ? [PODS_ARE_KEPT] : [];
    if (!gone || resource.returnsDeleted || resource === NAMESPACES) return { ...ok(object), warnings };
    const { group, name: kind } = resource;
    const { uid = '' } = object.metadata;
    const details = { name, ...(group === '' ? {} : { group }), kind, uid };
    const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
    return { ...ok(status), warnings };
  }

  private deleteCollection(route: Route, request: ApiRequest): ApiAnswer {
    const listed = this.list(route, request.query);
    const options = deleteOptions(request);
    for (const { metadata } of listed['items'] as KubeObject[])
      this.deletes.delete(route.resource, metadata.namespace ?? '', metadata.name, options);
    return ok(listed);
  }

  private writeAs(options: RequestOptions, { userAgent }: ApiRequest, subresource: string): WriteOptions {
    return { manager: managerOf(options.fieldManager, userAgent), dryRun: options.dryRun, subresource };
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
function deleteOptions({ body, query, contentType }: ApiRequest): DeleteOptions {
  const given = readBody(body, contentType);
  const { uid, resourceVersion } = fieldsAt(given, 'preconditions');
  const propagationPolicy = given['propagationPolicy'] ?? query.get('propagationPolicy') ?? undefined;
  const orphan = given['orphanDependents'];
  const dryRun = Array.isArray(given['dryRun']) ? given['dryRun'].length > 0 : query.getAll('dryRun').includes('All');
  return {
    ...(propagationPolicy === undefined ? {} : { propagationPolicy: String(propagationPolicy) }),
    ...(propagationPolicy === undefined && typeof orphan === 'boolean'
      ? { propagationPolicy: orphan ? 'Orphan' : 'Background' }
      : {}),
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
    dryRun,
  };
}

function readBody(body: string, contentType: string): Fields {
  if (body.trim() === '') return {};
  const isYaml = contentType === 'application/yaml';
  const error = isYaml ? undefined : jsonError(body);
  if (error !== undefined) throw badRequest(`couldn't get version/kind; json parse error: ${error}`);
  const value: unknown = isYaml ? load(body) : JSON.parse(body);
  return isFields(value) ? value : {};
}
