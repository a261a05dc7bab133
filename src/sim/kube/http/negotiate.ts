import type { Fields, KubeObject } from '../objects.ts';
import { ApiError } from '../status.ts';
import type { Route } from './route.ts';
import { tableOf } from './table.ts';

export type Shape = 'object' | 'table' | 'metadata';

/** The first of the accepted media types that can be served. */
export function accepts(header: string | undefined): Shape {
  if (header === undefined || header.trim() === '') return 'object';
  for (const part of header.split(',')) {
    const [type = '', ...parameters] = part.split(';').map((text) => text.trim());
    if (!['application/json', 'application/*', '*/*'].includes(type)) continue;
    const as = parameters.find((parameter) => parameter.startsWith('as='))?.slice('as='.length);
    if (as === undefined) return 'object';
    if (as === 'Table') return 'table';
    if (as.startsWith('PartialObjectMetadata')) return 'metadata';
  }
  throw new ApiError(
    406,
    'NotAcceptable',
    'only the following media types are accepted: application/json, application/json;as=Table, application/json;as=PartialObjectMetadata',
  );
}

/** What an answer is turned into for the client. */
export function renderFor(
  shape: Shape,
  route: Route,
  query: URLSearchParams,
  now: () => Date,
): (body: unknown) => unknown {
  if (shape === 'object' || route.subresource === 'scale') return (body) => body;
  return (body) => {
    const { kind } = body as Fields;
    if (kind === 'Status') return body;
    return shape === 'table'
      ? tableOf(route.resource, body as Fields, query.get('includeObject') ?? 'Metadata', now())
      : metadataOf(body as Fields);
  };
}

function metadataOf(body: Fields): Fields {
  const { metadata, items } = body;
  const apiVersion = 'meta.k8s.io/v1';
  if (!Array.isArray(items)) return { kind: 'PartialObjectMetadata', apiVersion, metadata };
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion,
    metadata,
    items: (items as KubeObject[]).map((item) => ({ metadata: item.metadata })),
  };
}
