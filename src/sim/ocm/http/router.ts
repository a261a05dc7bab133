import { type Service, SimOcmError } from '../ocm-error.ts';
import { ROUTES, type Route } from './routes.ts';

export interface Match {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
  /** The path without ids: `clusters/upgrade_policies`. */
  readonly collection: string;
}

interface Compiled {
  readonly route: Route;
  readonly segments: readonly string[];
  readonly collection: string;
}

const COMPILED: readonly Compiled[] = ROUTES.map((route) => ({
  route,
  segments: route.path.split('/'),
  collection: collectionOf(route.path),
}));

/** The route of a request; throws like OCM when there is none. A trailing slash is ignored. */
export function findRoute(service: Service, method: string, path: string): Match {
  const segments = path.replace(/\/+$/, '').split('/');
  const matches = COMPILED.filter((candidate) => fits(candidate.segments, segments));
  const [first] = matches;
  if (first === undefined)
    throw new SimOcmError(service, 'not-found', `The requested resource '${path}' doesn't exist`);
  const found = matches.find(({ route }) => route.method === method);
  if (found === undefined)
    throw new SimOcmError(service, 'not-allowed', `Method '${method}' isn't supported by resource '${path}'`);
  return { route: found.route, collection: found.collection, params: paramsOf(found.segments, segments) };
}

/** The collection at a path, for any method; empty when there is none. */
export function collectionAt(path: string): string {
  const segments = path.replace(/\/+$/, '').split('/');
  return COMPILED.find((candidate) => fits(candidate.segments, segments))?.collection ?? '';
}

function collectionOf(path: string): string {
  return path
    .split('/')
    .slice(4)
    .filter((segment) => !segment.startsWith(':'))
    .join('/');
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : part === segments[index]))
  );
}

function paramsOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  const pairs = pattern.map((part, index) => [part, segments[index] ?? ''] as const);
  return Object.fromEntries(
    pairs.filter(([part]) => part.startsWith(':')).map(([part, value]) => [part.slice(1), decoded(value)]),
  );
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
