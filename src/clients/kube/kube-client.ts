import { defined, isJson } from '../../base/index.ts';
import type { KubeConnection } from './connection.ts';
import { KubeError } from './kube-error.ts';
import { type ApiObject, badAnswer, type ListOptions, listObjects, pathOf, resourceOf } from './list-objects.ts';
import { type KubeTransport, kubeTransport, type TransportOptions } from './transport.ts';
import { keptLists, type ListReport, type WatchTimes } from './watched-lists.ts';

interface ObjectId {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

interface LogOf {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** The log is cut off after so many bytes. */
  readonly mostBytes: number;
  /** Not asked for again when its response is lost: a node that does not answer takes the whole time limit. */
  readonly once?: true;
}

interface RemoveOptions {
  /** Another object of the name, or another version of it, is a conflict. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly orphan?: boolean;
}

/** A thin client of one API server; nothing of the domain. */
export interface KubeClient {
  readonly name: string;
  list(kind: string, options?: ListOptions): Promise<ApiObject[]>;
  get(id: ObjectId, signal?: AbortSignal): Promise<ApiObject | undefined>;
  create(object: ApiObject, signal?: AbortSignal): Promise<ApiObject>;
  /** With the resource version in it, a concurrent change is a conflict. */
  replace(object: ApiObject, signal?: AbortSignal): Promise<ApiObject>;
  /** Whether a replacement would be accepted; nothing changes. */
  dryRunUpdate(object: ApiObject, signal?: AbortSignal): Promise<void>;
  /** Server-side apply, unknown fields refused. Whether it was created. */
  apply(object: ApiObject, options: { readonly force: boolean }): Promise<{ readonly created: boolean }>;
  /** A JSON patch; not repeated when its response is lost. */
  patch(id: ObjectId, operations: readonly object[]): Promise<ApiObject>;
  /** Dependents are deleted in the background; with `orphan` they stay. Succeeds when it is already gone. */
  remove(id: ObjectId, options: RemoveOptions): Promise<void>;
  /** What a container printed, from its beginning; undefined where the pod or its log is gone. */
  log(of: LogOf, signal?: AbortSignal): Promise<string | undefined>;
  close(): void;
}

const FIELD_MANAGER = 'echelon';

export interface KubeClientOptions extends TransportOptions {
  /** Objects per page of a list. */
  readonly pageSize?: number;
  /** Called with what happens to lists of watched passes. Without it nothing is watched, and every list is made. */
  readonly onList?: ((report: ListReport) => void) | undefined;
  readonly watchTimes?: WatchTimes;
}

export function kubeClient(connection: KubeConnection, options: KubeClientOptions = {}): KubeClient {
  const { pageSize, onList, permit, watchTimes } = options;
  const direct = kubeTransport(connection, options);
  const lists = keptLists(direct, { pageSize, onList, permit, times: watchTimes });
  const transport: KubeTransport = {
    ...direct,
    request: (request) => {
      if (request.method !== 'GET') lists.wrote(request.path);
      return direct.request(request);
    },
  };
  const written = { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' };
  return {
    name: connection.name,
    list: async (kind, where = {}) =>
      where.watched === undefined || onList === undefined
        ? [...(await listObjects(transport, kind, where, { pageSize })).objects]
        : lists.list(kind, where, where.watched),
    get: ({ kind, namespace, name }, signal) =>
      unlessMissing(async () => {
        const path = pathOf(resourceOf(kind), namespace, name);
        const request = { method: 'GET', path, idempotent: true, ...defined({ signal }) } as const;
        return asObject(transport.name, (await transport.request(request)).body);
      }),
    create: async (object, signal) => {
      const path = pathOf(resourceOf(object.kind), object.metadata.namespace);
      const request = { method: 'POST', path, query: written, body: object, idempotent: false } as const;
      return asObject(transport.name, (await transport.request({ ...request, ...defined({ signal }) })).body);
    },
    replace: async (object, signal) => {
      const request = {
        method: 'PUT',
        path: ownPath(object),
        query: written,
        body: object,
        idempotent: false,
      } as const;
      return asObject(transport.name, (await transport.request({ ...request, ...defined({ signal }) })).body);
    },
    dryRunUpdate: async (object, signal) => {
      const query = { ...written, dryRun: 'All' };
      const request = { method: 'PUT', path: ownPath(object), query, body: object, idempotent: true } as const;
      await transport.request({ ...request, ...defined({ signal }) });
    },
    apply: async (object, { force }) => {
      const { status } = await transport.request({
        method: 'PATCH',
        path: ownPath(object),
        query: { ...written, force: String(force) },
        contentType: 'application/apply-patch+yaml',
        body: object,
        idempotent: true,
      });
      return { created: status === 201 };
    },
    patch: async ({ kind, namespace, name }, operations) => {
      const { body } = await transport.request({
        method: 'PATCH',
        path: pathOf(resourceOf(kind), namespace, name),
        query: written,
        contentType: 'application/json-patch+json',
        body: operations,
        idempotent: false,
      });
      return asObject(transport.name, body);
    },
    remove: (id, how) => remove(transport, id, how),
    log: ({ namespace, pod, container, mostBytes, once }, signal) =>
      unlessMissing(async () => {
        const path = `${pathOf(resourceOf('Pod'), namespace, pod)}/log`;
        const query = { container, limitBytes: String(mostBytes) };
        const request = {
          method: 'GET',
          path,
          query,
          idempotent: once !== true,
          isText: true,
          ...defined({ signal }),
        } as const;
        return String((await transport.request(request)).body);
      }),
    close: () => {
      lists.close();
      transport.close();
    },
  };
}

async function unlessMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (thrown) {
    if (thrown instanceof KubeError && thrown.status === 404) return undefined;
    throw thrown;
  }
}

function ownPath({ kind, metadata }: ApiObject): string {
  return pathOf(resourceOf(kind), metadata.namespace, metadata.name);
}

/**
 * A second attempt may find that the first one removed it: that is a success. Another object of the same name is a
 * conflict.
 */
async function remove(
  transport: KubeTransport,
  { kind, namespace, name }: ObjectId,
  { uid, resourceVersion, orphan }: RemoveOptions,
): Promise<void> {
  const preconditions = defined({ uid, resourceVersion });
  try {
    await transport.request({
      method: 'DELETE',
      path: pathOf(resourceOf(kind), namespace, name),
      body: {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: orphan === true ? 'Orphan' : 'Background',
        ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
      },
      idempotent: true,
    });
  } catch (thrown) {
    if (!(thrown instanceof KubeError) || thrown.code !== 'KUBE_NOT_FOUND') throw thrown;
  }
}

function asObject(cluster: string, body: unknown): ApiObject {
  if (!isJson(body) || !isJson(body['metadata'])) throw badAnswer(cluster, 'the response is not an object');
  return body as ApiObject;
}
