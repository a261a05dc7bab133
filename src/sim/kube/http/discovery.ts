import type { Fields } from '../objects.ts';
import { RESOURCES, type Resource } from '../resources.ts';

const VERBS = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

const VERSION: Fields = {
  major: '1',
  minor: '35',
  emulationMajor: '1',
  emulationMinor: '35',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '34',
  gitVersion: 'v1.35.4',
  gitCommit: 'simulated',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'none',
  platform: 'linux/amd64',
};

/** Answers of the discovery paths; undefined for any other path. */
export function discover(path: string, host: string): Fields | undefined {
  if (path === '/version') return VERSION;
  if (path === '/api') return coreVersions(host);
  if (path === '/apis') return { kind: 'APIGroupList', apiVersion: 'v1', groups: groupNames().map(groupOf) };
  const [, core, group = '', version] = /^\/(?:api\/(v1)|apis\/([^/]+)(?:\/([^/]+))?)$/.exec(path) ?? [];
  if (core !== undefined) return resourceList('v1');
  if (!groupNames().includes(group)) return undefined;
  if (version === undefined) return { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group) };
  return version === 'v1' ? resourceList(`${group}/v1`) : undefined;
}

function coreVersions(host: string): Fields {
  const serverAddressByClientCIDRs = [{ clientCIDR: '0.0.0.0/0', serverAddress: host }];
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs };
}

function groupNames(): string[] {
  return [...new Set(RESOURCES.map(({ group }) => group))].filter((group) => group !== '');
}

function groupOf(name: string): Fields {
  const version = { groupVersion: `${name}/v1`, version: 'v1' };
  return { name, versions: [version], preferredVersion: version };
}

function resourceList(groupVersion: string): Fields {
  const resources = RESOURCES.filter(({ apiVersion }) => apiVersion === groupVersion).map(entryOf);
  return { kind: 'APIResourceList', ...(groupVersion === 'v1' ? {} : { apiVersion: 'v1' }), groupVersion, resources };
}

function entryOf({ name, singular, namespaced, kind, shortNames, inAll }: Resource): Fields {
  return {
    name,
    singularName: singular,
    namespaced,
    kind,
    verbs: VERBS,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(inAll ? { categories: ['all'] } : {}),
  };
}
