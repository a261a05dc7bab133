import type { Json } from '../../../base/index.ts';
import { defined } from '../../../base/index.ts';
import { type Service, SimOcmError } from '../ocm-error.ts';
import type { ListQuery } from '../world/list.ts';
import type { Fetch } from '../world/organizations.ts';

/** A parsed request. */
export interface Request {
  readonly service: Service;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Json;
}

/** The service of a path; clusters when it has none. */
export function serviceOf(path: string): Service {
  const name = /^\/api\/([^/]+)\//.exec(path)?.[1];
  return name === 'accounts_mgmt' || name === 'service_logs' ? name : 'clusters_mgmt';
}

/** The query of a list. Unknown parameters are ignored, as by the services. */
export function listQuery({ service, query }: Request): ListQuery {
  const search = query.get('search');
  const order = query.get(service === 'clusters_mgmt' ? 'order' : 'orderBy');
  const page = wholeNumber(service, query, 'page');
  const size = wholeNumber(service, query, 'size');
  return {
    ...(search === null ? {} : { search }),
    ...(order === null ? {} : { order }),
    ...defined({ page, size }),
  };
}

export function fetchOf({ query }: Request): Fetch {
  const asked = (name: string): boolean => query.get(name) === 'true';
  return {
    fetchLabels: asked('fetchLabels'),
    fetchCapabilities: asked('fetchCapabilities'),
    fetchOrganization: asked('fetchOrganization'),
  };
}

export function isDryRun({ query }: Request): boolean {
  return query.get('dryRun') === 'true';
}

export function param({ params }: Request, name: string): string {
  return params[name] ?? '';
}

function wholeNumber(service: Service, query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)?.trim() ?? '';
  if (text === '') return undefined;
  if (/^-?\d{1,9}$/.test(text)) return Number(text);
  throw new SimOcmError(service, 'bad-request', `bad ${name} value '${text}'`);
}
