import { findResource, RESOURCES, type Resource } from '../resources.ts';
import { ApiError, methodNotAllowed, pathNotFound } from '../status.ts';

type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** What a request is about, read from its method and path. */
export interface Route {
  readonly verb: Verb;
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
}

const VERBS_OF_ONE: Readonly<Record<string, Verb>> = { GET: 'get', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };
const VERBS_OF_MANY: Readonly<Record<string, Verb>> = { GET: 'list', POST: 'create' };
const PREFIX = /^\/(?:api\/(v1)|apis\/([^/]+)\/([^/]+))\/(.+)$/;

/** Undefined when the path is not that of a resource. */
export function routeOf(method: string, path: string, isWatch: boolean): Route | undefined {
  const match = PREFIX.exec(path);
  if (match === null) return undefined;
  const [, core, group = '', groupVersion = '', rest = ''] = match;
  const version = core ?? groupVersion;
  if (!RESOURCES.some((resource) => resource.group === group && resource.version === version)) throw unservedGroup();
  const { namespace, plural, name } = partsOf(rest);
  const resource = findResource(group, version, plural);
  if (resource === undefined || (!resource.namespaced && namespace !== '')) throw pathNotFound();
  const isEverywhere = resource.namespaced && namespace === '';
  if (isEverywhere && name !== '') throw pathNotFound();
  return { verb: verbOf(method, name, isEverywhere, isWatch), resource, namespace, name };
}

/** A text that is no Status, as the server answers where it serves nothing at all. */
function unservedGroup(): ApiError {
  return new ApiError(404, undefined, '404 page not found');
}

interface Parts {
  readonly namespace: string;
  readonly plural: string;
  readonly name: string;
}

function partsOf(rest: string): Parts {
  const parts = rest.split('/').map(decoded);
  const isNamespaced = parts[0] === 'namespaces' && parts.length > 2;
  const [plural = '', name = '', ...more] = isNamespaced ? parts.slice(2) : parts;
  if (more.length > 0) throw pathNotFound();
  return { namespace: isNamespaced ? (parts[1] ?? '') : '', plural, name };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw pathNotFound();
  }
}

function verbOf(method: string, name: string, isEverywhere: boolean, isWatch: boolean): Verb {
  const verb = (name === '' ? VERBS_OF_MANY : VERBS_OF_ONE)[method];
  if (verb === undefined || (isEverywhere && verb !== 'list')) throw methodNotAllowed();
  return verb === 'list' && isWatch ? 'watch' : verb;
}
