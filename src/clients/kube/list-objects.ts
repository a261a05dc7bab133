import { defined, isJson } from '../../base/index.ts';
import type { ApiObject } from './api-object.ts';
import { KubeError } from './kube-error.ts';
import { pathOf, resourceOf } from './resources.ts';
import { plainly, type SharedObjects, sharing } from './shared-objects.ts';
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

export interface Listed extends SharedObjects {
  /** From where a watch would go on; absent where the server does not say it. */
  readonly version?: string;
}

export interface PageOptions {
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
