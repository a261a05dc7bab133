import { defined, isJson, type Json } from '../../base/index.ts';
import { KubeError } from './kube-error.ts';
import type { KubeTransport } from './transport.ts';

export interface ListOptions {
  /** All namespaces when absent. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  /** Only the object of this name. */
  readonly name?: string;
  /** Namespaces to leave out. */
  readonly notIn?: readonly string[];
  /** What is kept of each object, called page by page. */
  readonly keep?: (object: ApiObject) => ApiObject;
  readonly signal?: AbortSignal;
  /** Keeps the list for later passes, and returns the one that was kept while a watch of it reports no change. */
  readonly watched?: WatchedPass;
}

/** A pass that lists with watches. */
export interface WatchedPass {
  /** Counts up: what two passes in a row did not ask for is forgotten. */
  readonly pass: number;
  /** Lists again, whatever the watches report. */
  readonly renew: boolean;
}

const PAGE = 100;
const MAX_PAGES = 1_000;
/** A list that expires between two pages is started again. */
const MAX_LIST_ATTEMPTS = 3;

interface Listed extends SharedObjects {
  /** From where a watch would go on; absent where the server does not say it. */
  readonly version?: string;
}

interface PageOptions {
  /** Objects per page. */
  readonly pageSize?: number | undefined;
  /** The list as it was, of which the new one takes what did not change. Without it the objects share nothing. */
  readonly before?: SharedObjects | undefined;
}

export async function listObjects(
  transport: Pick<KubeTransport, 'name' | 'request'>,
  kind: string,
  where: ListOptions,
  options: PageOptions = {},
): Promise<Listed> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await allPages(transport, kind, where, options);
    } catch (thrown) {
      const expired = thrown instanceof KubeError && thrown.code === 'KUBE_EXPIRED';
      if (!expired || attempt >= MAX_LIST_ATTEMPTS) throw thrown;
    }
  }
}

/** The path and selectors of a list, the same for all its pages and for a watch of it. */
export function listRequest(kind: string, where: ListOptions) {
  const query = { labelSelector: where.labelSelector, fieldSelector: fieldSelector(where) };
  return { path: pathOf(resourceOf(kind), where.namespace), query };
}

async function allPages(
  transport: Pick<KubeTransport, 'name' | 'request'>,
  kind: string,
  where: ListOptions,
  { pageSize = PAGE, before }: PageOptions,
): Promise<Listed> {
  const { path, query } = listRequest(kind, where);
  const { add, all } = before === undefined ? plainly() : sharing(before);
  let [next, first]: (string | undefined)[] = [];
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { body } = await transport.request({
      ...{ method: 'GET', path, query: { limit: String(pageSize), continue: next, ...query }, idempotent: true },
      ...defined({ signal: where.signal }),
    });
    const { continued, version } = addPage(transport.name, kind, body, where.keep, add);
    first ??= version;
    if (continued === undefined) return { ...all, ...defined({ version: first }) };
    next = continued;
  }
  throw badAnswer(transport.name, `a list of ${resourceOf(kind).plural} has more than ${MAX_PAGES} pages`);
}

function addPage(
  cluster: string,
  kind: string,
  body: unknown,
  keep: ListOptions['keep'] = (object) => object,
  add: (object: ApiObject) => void,
): Pick<Page, 'continued' | 'version'> {
  const { items, ...rest } = pageOf(cluster, body);
  const { apiVersion } = resourceOf(kind);
  for (const item of items) add(keep({ ...item, apiVersion, kind }));
  return rest;
}

/** An address has its limits: with more namespaces than this to leave out, the caller leaves them out. */
const MAX_LEFT_OUT = 50;

function fieldSelector({ name, notIn = [] }: ListOptions): string | undefined {
  const parts = [
    ...(name === undefined ? [] : [`metadata.name=${name}`]),
    ...(notIn.length > MAX_LEFT_OUT ? [] : notIn.map((namespace) => `metadata.namespace!=${namespace}`)),
  ];
  return parts.length === 0 ? undefined : parts.join(',');
}

interface Page {
  readonly items: readonly ApiObject[];
  readonly continued: string | undefined;
  readonly version: string | undefined;
}

function pageOf(cluster: string, body: unknown): Page {
  if (!isJson(body)) throw badAnswer(cluster, 'a list is not a mapping');
  const items = body['items'] ?? [];
  if (!Array.isArray(items) || !items.every((item) => isJson(item) && isJson(item['metadata']))) {
    throw badAnswer(cluster, 'the items of a list are not objects');
  }
  const metadata = isJson(body['metadata']) ? body['metadata'] : {};
  return { items, continued: textOf(metadata['continue']), version: textOf(metadata['resourceVersion']) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function badAnswer(cluster: string, what: string): KubeError {
  return new KubeError({
    code: 'KUBE_ANSWER',
    message: `${cluster}: ${what}`,
    hint: 'check that the URL is that of an API server, not of a proxy or console',
  });
}

/** Where the API keeps the objects of a kind. */
interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
}

const RESOURCES: readonly Resource[] = [
  { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' },
  { apiVersion: 'apps/v1', kind: 'StatefulSet', plural: 'statefulsets' },
  { apiVersion: 'apps/v1', kind: 'ReplicaSet', plural: 'replicasets' },
  { apiVersion: 'batch/v1', kind: 'CronJob', plural: 'cronjobs' },
  { apiVersion: 'batch/v1', kind: 'Job', plural: 'jobs' },
  { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' },
  { apiVersion: 'v1', kind: 'Service', plural: 'services' },
  { apiVersion: 'v1', kind: 'Pod', plural: 'pods' },
  { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', plural: 'leases' },
];

const BY_KIND: ReadonlyMap<string, Resource> = new Map(RESOURCES.map((resource) => [resource.kind, resource]));

/** Throws for a kind that this client has no use for: a fault of its caller. */
export function resourceOf(kind: string): Resource {
  const resource = BY_KIND.get(kind);
  if (resource === undefined) throw new Error(`the client does not know the kind ${kind}`);
  return resource;
}

/**
 * `/apis/apps/v1/namespaces/x/deployments/y`; all namespaces when there is none. Throws for a name that would make it the
 * path of something else, such as an empty one: deleting that would delete everything of the kind.
 */
export function pathOf({ apiVersion, plural }: Resource, namespace?: string, name?: string): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const place = namespace === undefined ? '' : `/namespaces/${segment(namespace)}`;
  return `${root}${place}/${plural}${name === undefined ? '' : `/${segment(name)}`}`;
}

function segment(name: string): string {
  if (name === '' || name === '.' || name === '..') throw new Error(`"${name}" is not the name of an object`);
  return encodeURIComponent(name);
}

/** An object as the API returns it. */
export interface ApiObject extends Json {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [key: string]: unknown };
}

/** The objects of a list, each with the bytes that it takes beyond what it shares with others: an estimate, rather too much. */
export interface SharedObjects {
  readonly objects: readonly ApiObject[];
  readonly bytes: readonly number[];
}

interface Collection {
  add(object: ApiObject): void;
  readonly all: SharedObjects;
}

/** Below this depth nothing is shared: no object of Kubernetes is deeper. */
const MAX_DEPTH = 100;
/** What V8 takes for an object or list and for each field, a reference or a text. */
const [PART_BYTES, FIELD_BYTES] = [48, 8];

/** Of no object at all. */
export const NOTHING_SHARED: SharedObjects = { objects: [], bytes: [] };

/** Collects objects as they are. */
function plainly(): Collection {
  const objects: ApiObject[] = [];
  return { all: { objects, bytes: [] }, add: (object) => objects.push(object) };
}

/**
 * Collects objects that keep what they have in common once: each is compared with the one of the same name in `before`, or else
 * with the one that was added last, and takes over what is equal. One that is all equal is the one before. An object that is
 * added belongs to the collection and may be changed by it. Linear.
 */
export function sharing(before: SharedObjects): Collection {
  const known = new Map(before.objects.map((object, at) => [keyOf(object), at]));
  const objects: ApiObject[] = [];
  const bytes: number[] = [];
  return {
    all: { objects, bytes },
    add: (object) => {
      const at = known.get(keyOf(object));
      const like = at === undefined ? objects.at(-1) : before.objects[at];
      const size = { all: 0, alone: 0 };
      objects.push(sharedWith(like, object, size, 0) as ApiObject);
      // What it shares with the one before it has alone now, in part at least.
      bytes.push(at === undefined ? size.alone : Math.min(size.all, size.alone + (before.bytes[at] ?? 0)));
    },
  };
}

function keyOf({ metadata: { namespace = '', name } }: ApiObject): string {
  return `${namespace}/${name}`;
}

type Fields = Record<string, unknown>;

interface Size {
  all: number;
  alone: number;
}

function add(size: Size, bytes: number, isShared: boolean): void {
  size.all += bytes;
  if (!isShared) size.alone += bytes;
}

function sharedWith(like: unknown, value: unknown, size: Size, depth: number): unknown {
  if (typeof value === 'string') add(size, PART_BYTES + value.length, like === value);
  if (like === value) return like;
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  const isAlike = typeof like === 'object' && like !== null && Array.isArray(like) === Array.isArray(value);
  return sharedFields(isAlike ? (like as Fields) : undefined, value as Fields, size, depth) ? like : value;
}

/** Lets the fields of a part be those of a similar one where they are equal; whether all are, in the same order. */
function sharedFields(like: Fields | undefined, part: Fields, size: Size, depth: number): boolean {
  const [names, own] = [like && Object.keys(like), Object.keys(part)];
  let isEqual = names?.length === own.length;
  for (const [at, name] of own.entries()) {
    const other = like !== undefined && Object.hasOwn(like, name) ? like[name] : undefined;
    const kept = sharedWith(other, part[name], size, depth + 1);
    if (kept !== part[name]) part[name] = kept;
    if (names?.[at] !== name || kept !== other) isEqual = false;
  }
  add(size, PART_BYTES + FIELD_BYTES * own.length, isEqual);
  return isEqual;
}
