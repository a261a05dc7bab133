import { FieldSet } from './apply/field-set.ts';
import { type StructType, struct } from './schema.ts';

/** A kind that is served, and what is particular about it. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  /** Plural: `deployments`. */
  readonly name: string;
  readonly singular: string;
  readonly kind: string;
  /** `apps/v1`. */
  readonly apiVersion: string;
  readonly type: StructType;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly inAll: boolean;
  readonly hasStatus: boolean;
  readonly hasGeneration: boolean;
  readonly createsOnUpdate: boolean;
  /** PUT without a resourceVersion overwrites. */
  readonly unconditionalUpdate: boolean;
  /** DELETE answers with the object instead of a Status. */
  readonly returnsDeleted: boolean;
  /** Fields that a write to the object, or to its status, cannot change. */
  readonly reset: FieldSet;
  readonly resetOfStatus: FieldSet;
}

interface Particulars {
  readonly clusterWide?: true;
  readonly short?: readonly string[];
  readonly inAll?: true;
  readonly status?: true;
  readonly generation?: true;
  readonly createsOnUpdate?: true;
  readonly conditionalUpdate?: true;
  readonly returnsDeleted?: true;
  readonly resetOfStatus?: readonly (readonly string[])[];
}

const WORKLOAD: Particulars = { status: true, generation: true, inAll: true };

function resource(apiVersion: string, kind: string, name: string, particulars: Particulars = {}): Resource {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const { clusterWide, short, inAll, status, generation, createsOnUpdate, conditionalUpdate, returnsDeleted } =
    particulars;
  return {
    group,
    version,
    name,
    singular: kind.toLowerCase(),
    kind,
    apiVersion,
    type: struct(`${group === '' ? 'core' : group.replace(/\..*$/, '')}.${version}.${kind}`),
    namespaced: clusterWide !== true,
    shortNames: short ?? [],
    inAll: inAll === true,
    hasStatus: status === true,
    hasGeneration: generation === true,
    createsOnUpdate: createsOnUpdate === true,
    unconditionalUpdate: conditionalUpdate !== true,
    returnsDeleted: returnsDeleted === true,
    reset: pathSet(status === true ? [['f:status']] : []),
    resetOfStatus: pathSet(particulars.resetOfStatus ?? [['f:spec']]),
  };
}

function pathSet(paths: readonly (readonly string[])[]): FieldSet {
  const set = new FieldSet();
  for (const path of paths) set.insert(path);
  return set;
}

export const NAMESPACES = resource('v1', 'Namespace', 'namespaces', { clusterWide: true, short: ['ns'], status: true });
export const PODS = resource('v1', 'Pod', 'pods', {
  short: ['po'],
  inAll: true,
  status: true,
  generation: true,
  returnsDeleted: true,
  resetOfStatus: [['f:spec'], ['f:metadata', 'f:deletionTimestamp'], ['f:metadata', 'f:ownerReferences']],
});
export const SERVICES = resource('v1', 'Service', 'services', {
  short: ['svc'],
  inAll: true,
  status: true,
  createsOnUpdate: true,
  returnsDeleted: true,
});
const SERVICE_ACCOUNTS = resource('v1', 'ServiceAccount', 'serviceaccounts', {
  short: ['sa'],
  returnsDeleted: true,
});
export const DEPLOYMENTS = resource('apps/v1', 'Deployment', 'deployments', {
  ...WORKLOAD,
  short: ['deploy'],
  resetOfStatus: [['f:spec'], ['f:metadata', 'f:labels']],
});
export const REPLICA_SETS = resource('apps/v1', 'ReplicaSet', 'replicasets', {
  ...WORKLOAD,
  short: ['rs'],
});
export const STATEFUL_SETS = resource('apps/v1', 'StatefulSet', 'statefulsets', {
  ...WORKLOAD,
  short: ['sts'],
});
const CRON_JOBS = resource('batch/v1', 'CronJob', 'cronjobs', { ...WORKLOAD, short: ['cj'] });
export const JOBS = resource('batch/v1', 'Job', 'jobs', WORKLOAD);
export const CONFIG_MAPS = resource('v1', 'ConfigMap', 'configmaps', { short: ['cm'] });
const SECRETS = resource('v1', 'Secret', 'secrets');
export const EVENTS = resource('v1', 'Event', 'events', { short: ['ev'], createsOnUpdate: true });
const LEASES = resource('coordination.k8s.io/v1', 'Lease', 'leases', {
  createsOnUpdate: true,
  conditionalUpdate: true,
});

export const RESOURCES: readonly Resource[] = [
  CONFIG_MAPS,
  EVENTS,
  NAMESPACES,
  PODS,
  SECRETS,
  SERVICE_ACCOUNTS,
  SERVICES,
  DEPLOYMENTS,
  REPLICA_SETS,
  STATEFUL_SETS,
  CRON_JOBS,
  JOBS,
  LEASES,
];

export function findResource(group: string, version: string, name: string): Resource | undefined {
  return RESOURCES.find(
    (resource) => resource.group === group && resource.version === version && resource.name === name,
  );
}

export function resourceOfKind(apiVersion: string, kind: string): Resource | undefined {
  return RESOURCES.find((resource) => resource.apiVersion === apiVersion && resource.kind === kind);
}
