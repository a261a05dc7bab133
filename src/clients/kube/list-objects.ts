import { defined, isJson, type Json } from '../../base/index.ts';
import { KubeError } from './kube-error.ts';
import { pathOf, resourceOf } from './resources.ts';
import type { KubeTransport } from './transport.ts';

/** An object as the API returns it. */
export interface ApiObject extends Json {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [key: string]: unknown };
}

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
}

const PAGE = 100;
const MAX_PAGES = 1_000;
/** A list that expires between two pages is started again. */
const MAX_LIST_ATTEMPTS = 3;

export async function listObjects(
  transport: KubeTransport,
  kind: string,
  where: ListOptions,
  pageSize = PAGE,
): Promise<ApiObject[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await pages(transport, kind, where, pageSize);
    } catch (thrown) {
      const expired = thrown instanceof KubeError && thrown.code === 'KUBE_EXPIRED';
      if (!expired || attempt >= MAX_LIST_ATTEMPTS) throw thrown;
    }
  }
}

async function pages(
  transport: KubeTransport,
  kind: string,
  where: ListOptions,
  pageSize: number,
): Promise<ApiObject[]> {
  const resource = resourceOf(kind);
  const found: ApiObject[] = [];
  let next: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { body } = await transport.request({
      method: 'GET',
      path: pathOf(resource, where.namespace),
      query: {
        limit: String(pageSize),
        continue: next,
        labelSelector: where.labelSelector,
        fieldSelector: fieldSelector(where),
      },
      idempotent: true,
      ...defined({ signal: where.signal }),
    });
    const { items, continued } = pageOf(transport.name, body);
    const { keep = (object: ApiObject): ApiObject => object } = where;
    for (const item of items) found.push(keep({ ...item, apiVersion: resource.apiVersion, kind }));
    if (continued === undefined) return found;
    next = continued;
  }
  throw badAnswer(transport.name, `a list of ${resource.plural} has more than ${MAX_PAGES} pages`);
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

function pageOf(cluster: string, body: unknown): { items: readonly ApiObject[]; continued: string | undefined } {
  if (!isJson(body)) throw badAnswer(cluster, 'a list is not a mapping');
  const items = body['items'] ?? [];
  if (!Array.isArray(items) || !items.every((item) => isJson(item) && isJson(item['metadata']))) {
    throw badAnswer(cluster, 'the items of a list are not objects');
  }
  const metadata = isJson(body['metadata']) ? body['metadata'] : {};
  const continued = metadata['continue'];
  return { items, continued: typeof continued === 'string' && continued !== '' ? continued : undefined };
}

export function badAnswer(cluster: string, what: string): KubeError {
  return new KubeError({
    code: 'KUBE_ANSWER',
    message: `${cluster}: ${what}`,
    hint: 'check that the URL is that of an API server, not of a proxy or console',
  });
}
