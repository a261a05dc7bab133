import { messageOf } from '../../../base/index.ts';
import type { Fields, KubeObject } from '../objects.ts';
import type { Resource } from '../resources.ts';
import { fieldTest, labelTest } from '../selectors.ts';
import { badRequest, expired } from '../status.ts';
import { keyOf, type Store } from '../store.ts';

interface Listed {
  readonly metadata: Fields;
  readonly items: readonly KubeObject[];
}

/** A list as it was at its first page. */
interface Page {
  readonly revision: number;
  readonly objects: readonly KubeObject[];
}

const TOO_OLD = 'The provided continue parameter is too old to display a consistent list result.';

/** Lists that are read page by page at the same time; the oldest is forgotten first. */
const OPEN_LISTS_LIMIT = 200;

export type Selection = (object: KubeObject) => boolean;

/** The selectors of a query as one test. */
export function selectionOf(query: URLSearchParams): Selection {
  const labels = labelTest(query.get('labelSelector') ?? '');
  const fields = fieldTest(query.get('fieldSelector') ?? '');
  return (object) => labels(object.metadata.labels ?? {}) && fields(object);
}

/** Answers lists, page by page where asked to. A list that was begun goes on as of its first page. */
export class Lists {
  private readonly store: Store;
  private readonly open = new Map<string, Page>();

  constructor(store: Store) {
    this.store = store;
  }

  list(resource: Resource, namespace: string, query: URLSearchParams): Listed {
    const isSelected = selectionOf(query);
    const token = query.get('continue') ?? '';
    const { page, start } = token === '' ? this.first(resource, namespace) : this.next(resource, namespace, token);
    const rest = page.objects.filter((object) => listKey(object, namespace) >= start);
    const limit = limitOf(query);
    const items = take(rest, isSelected, limit);
    const metadata: Fields = { resourceVersion: String(page.revision) };
    const last = items.at(-1);
    const left = last === undefined || items.length < limit ? 0 : rest.length - rest.indexOf(last) - 1;
    if (last === undefined || left === 0) return { metadata, items };
    this.keep(resource, namespace, page);
    metadata['continue'] = writeToken(page.revision, `${listKey(last, namespace)}\0`);
    if (!hasSelectors(query)) metadata['remainingItemCount'] = left;
    return { metadata, items };
  }

  private first(resource: Resource, namespace: string): { page: Page; start: string } {
    return { page: { revision: this.store.revision, objects: this.store.list(resource, namespace) }, start: '' };
  }

  private next(resource: Resource, namespace: string, token: string): { page: Page; start: string } {
    const { revision, start } = readToken(token);
    const page =
      revision === this.store.revision
        ? { revision, objects: this.store.list(resource, namespace) }
        : this.open.get(pageKey(resource, namespace, revision));
    if (page !== undefined) return { page, start };
    throw expired(TOO_OLD);
  }

  private keep(resource: Resource, namespace: string, page: Page): void {
    this.open.set(pageKey(resource, namespace, page.revision), page);
    const [oldest] = this.open.keys();
    if (this.open.size > OPEN_LISTS_LIMIT && oldest !== undefined) this.open.delete(oldest);
  }
}

function pageKey({ group, name }: Resource, namespace: string, revision: number): string {
  return `${group}/${name}/${namespace}/${revision}`;
}

/** The key of an object below what is listed. */
function listKey({ metadata }: KubeObject, namespace: string): string {
  return `/${namespace === '' ? keyOf(metadata.namespace, metadata.name) : metadata.name}`;
}

/** All, where one object is meant, or where whatever is at hand will do. */
function limitOf(query: URLSearchParams): number {
  const limit = Number(query.get('limit') ?? 0);
  const isOne = /(?:^|,)metadata\.name={1,2}/.test(query.get('fieldSelector') ?? '');
  return limit === 0 || isOne || query.get('resourceVersion') === '0' ? Number.POSITIVE_INFINITY : limit;
}

function hasSelectors(query: URLSearchParams): boolean {
  return (query.get('labelSelector') ?? '') !== '' || (query.get('fieldSelector') ?? '') !== '';
}

function take(objects: readonly KubeObject[], isSelected: Selection, limit: number): KubeObject[] {
  const taken: KubeObject[] = [];
  for (const object of objects) {
    if (taken.length === limit) break;
    if (isSelected(object)) taken.push(object);
  }
  return taken;
}

function writeToken(rv: number, start: string): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv, start })).toString('base64url');
}

function readToken(token: string): { readonly revision: number; readonly start: string } {
  try {
    const { v, rv, start } = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as Fields;
    if (v !== 'meta.k8s.io/v1' || typeof rv !== 'number' || typeof start !== 'string')
      throw new Error('incorrect encoded start key');
    return { revision: rv, start };
  } catch (error) {
    throw badRequest(`invalid continue token: continue key is not valid: ${messageOf(error)}`);
  }
}
