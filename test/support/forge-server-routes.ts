import type { z } from 'zod';
import type { ForgeState, StoredRequest } from './forge-server-state.ts';
import type { SeenRequest } from './local-http.ts';

export interface RouteCall {
  readonly state: ForgeState;
  /** Parts of the path by name, decoded. */
  readonly part: (name: string) => string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Record<string, unknown>;
}

export interface RouteAnswer {
  readonly status: number;
  readonly body?: unknown;
  /** In place of a body in JSON. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A documented endpoint: `GET /repos/:project/pulls`. Fields and parameters that are not documented are refused. */
export interface Route {
  readonly on: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly act: (call: RouteCall) => RouteAnswer;
}

export interface Matched {
  readonly route: Route;
  readonly parts: ReadonlyMap<string, string>;
}

/** The route of a request, by its method and the shape of its path. `:name` is one part, `:project` and `:rest` many. */
export function matchRoute(routes: readonly Route[], { method, path }: SeenRequest): Matched | undefined {
  for (const route of routes) {
    const [verb = '', shape = ''] = route.on.split(' ');
    const names = [...shape.matchAll(/:(\w+)(\+?)/g)].map(([, name = '']) => name);
    const pattern = shape.replace(/:\w+(\+?)/g, (_, many: string) => (many === '+' ? '(.+)' : '([^/]+)'));
    const match = verb === method ? new RegExp(`^${pattern}$`).exec(path) : null;
    if (match === null) continue;
    const parts = names.map((name, index): [string, string] => [name, decodeURIComponent(match[index + 1] ?? '')]);
    return { route, parts: new Map(parts) };
  }
  return undefined;
}

/** One page of a list, as both forges cut it. */
export function pageOf<T>(items: readonly T[], query: Readonly<Record<string, string>>, fallback: number): T[] {
  const size = Number(query['per_page'] ?? fallback);
  const page = Number(query['page'] ?? 1);
  return items.slice((page - 1) * size, page * size);
}

export function requestNumbered(state: ForgeState, number: string): StoredRequest | undefined {
  return state.requests.find((request) => request.number === Number(number));
}
