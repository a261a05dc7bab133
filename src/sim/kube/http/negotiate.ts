import type { Fields } from '../objects.ts';
import type { Route } from './route.ts';
import { tableOf } from './table.ts';

/** What an answer is turned into for the client: a table where it prefers one, as `kubectl get` does. */
export function renderFor(
  accept: string | undefined,
  { resource }: Route,
  query: URLSearchParams,
  now: () => Date,
): (body: unknown) => unknown {
  const [preferred = ''] = (accept ?? '').split(',');
  if (!preferred.includes('as=Table')) return (body) => body;
  return (body) => {
    const fields = body as Fields;
    if (fields['kind'] === 'Status') return body;
    return tableOf(resource, fields, query.get('includeObject') ?? 'Metadata', now());
  };
}
