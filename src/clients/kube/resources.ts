/** Where the API keeps the objects of a kind. */
interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
}

const RESOURCES: readonly Resource[] = [
  { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' },
  { apiVersion: 'apps/v1', kind: 'StatefulSet', plural: 'statefulsets' },
  { apiVersion: 'apps/v1', kind: 'ReplicaSet', plural: 'replicasets' },
  { apiVersion: 'batch/v1', kind: 'CronJob', plural: 'cronjobs' },
  { apiVersion: 'batch/v1', kind: 'Job', plural: 'jobs' },
  { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' },
  { apiVersion: 'v1', kind: 'Service', plural: 'services' },
  { apiVersion: 'v1', kind: 'Pod', plural: 'pods' },
  { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', plural: 'leases' },
];

const BY_KIND: ReadonlyMap<string, Resource> = new Map(RESOURCES.map((resource) => [resource.kind, resource]));

/** Throws for a kind that this client has no use for: a fault of its caller. */
export function resourceOf(kind: string): Resource {
  const resource = BY_KIND.get(kind);
  if (resource === undefined) throw new Error(`the client does not know the kind ${kind}`);
  return resource;
}

/**
 * `/apis/apps/v1/namespaces/x/deployments/y`; all namespaces when there is none. Throws for a name that would make it the
 * path of something else, such as an empty one: deleting that would delete everything of the kind.
 */
export function pathOf({ apiVersion, plural }: Resource, namespace?: string, name?: string): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const place = namespace === undefined ? '' : `/namespaces/${segment(namespace)}`;
  return `${root}${place}/${plural}${name === undefined ? '' : `/${segment(name)}`}`;
}

function segment(name: string): string {
  if (name === '' || name === '.' || name === '..') throw new Error(`"${name}" is not the name of an object`);
  return encodeURIComponent(name);
}
