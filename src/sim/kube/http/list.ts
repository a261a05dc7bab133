import { messageOf } from '../../../base/index.ts';
import type { Fields, KubeObject } from '../objects.ts';
import type { Resource } from '../resources.ts';
import { fieldTest, labelTest } from '../selectors.ts';
import { ApiError, badRequest, expired, invalid } from '../status.ts';
import { keyOf, type Store } from '../store.ts';
import { forbiddenField } from '../validation/field-errors.ts';

export interface Listed {
  readonly metadata: Fields;
  readonly items: readonly KubeObject[];
}

/** A list as it was at its first page. */
interface Page {
  readonly revision: number;
  readonly objects: readonly KubeObject[];
}

/** Of a token: go on with what is there now. */
const LATEST = -1;
const TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** Lists that are read page by page at the same time; the oldest is forgotten first. */
const OPEN_LISTS_LIMIT = 200;

export type Selection = (object: KubeObject) => boolean;

/** The selectors of a query as one test. */
export function selectionOf(query: URLSearchParams, resource: Resource): Selection {
  const labels = labelTest(query.get('labelSelector') ?? '');
  const fields = fieldTest(query.get('fieldSelector') ?? '', resource);
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
    const isSelected = selectionOf(query, resource);
    const token = query.get('continue') ?? '';
    const { page, start } =
      token === '' ? this.first(resource, namespace, query) : this.next(resource, namespace, token, query);
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

  /** Forgets every list that was begun, as a server does after a while. */
  expire(): void {
    this.open.clear();
  }

  private first(resource: Resource, namespace: string, query: URLSearchParams): { page: Page; start: string } {
    if ((query.get('resourceVersion') ?? '') === '' && query.has('resourceVersionMatch')) throw matchOfNothing();
    const revision = readRevision(query.get('resourceVersion'));
    if (revision > this.store.revision) throw tooLarge(revision, this.store.revision);
    return { page: { revision: this.store.revision, objects: this.store.list(resource, namespace) }, start: '' };
  }

  private next(
    resource: Resource,
    namespace: string,
    token: string,
    query: URLSearchParams,
  ): { page: Page; start: string } {
    if (![null, '', '0'].includes(query.get('resourceVersion')))
      throw badRequest('specifying resource version is not allowed when using continue');
    const { revision, start } = readToken(token);
    if (revision === LATEST) return { ...this.first(resource, namespace, new URLSearchParams()), start };
    const page =
      revision === this.store.revision
        ? { revision, objects: this.store.list(resource, namespace) }
        : this.open.get(pageKey(resource, namespace, revision));
    if (page !== undefined) return { page, start };
    throw expired(TOO_OLD, writeToken(LATEST, start));
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
  const limit = readLimit(query.get('limit'));
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

function readLimit(text: string | null): number {
  if (text === null || text === '') return 0;
  if (!/^-?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`);
  return Math.max(0, Number(text));
}

export function readRevision(text: string | null): number {
  if (text === null || text === '') return 0;
  if (/^\d+$/.test(text)) return Number(text);
  const why = `strconv.ParseUint: parsing "${text}": invalid syntax`;
  throw badRequest(`invalid resource version: resourceVersion: Invalid value: "${text}": ${why}`);
}

function matchOfNothing(): ApiError {
  const why = 'resourceVersionMatch is forbidden unless resourceVersion is provided';
  return invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', [forbiddenField('resourceVersionMatch', why)]);
}

function tooLarge(revision: number, current: number): ApiError {
  return new ApiError(504, 'Timeout', `Timeout: Too large resource version: ${revision}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

function writeToken(rv: number, start: string): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv, start })).toString('base64url');
}

function readToken(token: string): { readonly revision: number; readonly start: string } {
  try {
    if (!/^[\w-]+$/.test(token)) throw new Error('illegal base64 data');
    const { v, rv, start } = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as Fields;
    if (v !== 'meta.k8s.io/v1' || typeof rv !== 'number' || typeof start !== 'string')
      throw new Error('incorrect encoded start key');
    return { revision: rv, start };
  } catch (error) {
    throw badRequest(`invalid continue token: continue key is not valid: ${messageOf(error)}`);
  }
}
