import type { KubeObject } from './desired-namespace.ts';

/** The name of everything that a fleet's pods share. */
const NAME = 'qontract-reconcile';
/** The manager's service account: integrations do not get its permissions. */
export const MANAGER_ACCOUNT = 'integrations-manager';

/** Exactly what a manager writes in its namespaces, what `status` reads, and the lease. */
const RULES = [
  { apiGroups: ['apps'], resources: ['deployments', 'statefulsets'], verbs: ['list', 'create', 'patch', 'delete'] },
  { apiGroups: ['batch'], resources: ['cronjobs'], verbs: ['list', 'create', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['services'], verbs: ['list', 'create', 'patch', 'delete'] },
  { apiGroups: ['apps'], resources: ['replicasets'], verbs: ['list'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
];

/** To find own objects in namespaces that no integration declares any more. */
const LIST_EVERYWHERE = [
  { apiGroups: ['apps'], resources: ['deployments', 'statefulsets'], verbs: ['list'] },
  { apiGroups: ['batch'], resources: ['cronjobs'], verbs: ['list'] },
  { apiGroups: [''], resources: ['services'], verbs: ['list'] },
];

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'rbac.authorization.k8s.io/v1' } as const;

export interface AccessOptions {
  readonly namespace?: string;
  /** Also allow listing in all namespaces, to find orphaned objects. */
  readonly clusterRole?: boolean;
}

/**
 * The service account of the integrations' pods, without permissions here, and the manager's service account with its
 * permissions in this namespace.
 */
export function managerAccess({ namespace, clusterRole }: AccessOptions = {}): KubeObject[] {
  const place = namespace === undefined ? {} : { namespace };
  const name = MANAGER_ACCOUNT;
  const subjects = [{ kind: 'ServiceAccount', name, ...place }];
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NAME, ...place } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, ...place } },
    { apiVersion: RBAC.version, kind: 'Role', metadata: { name, ...place }, rules: RULES },
    {
      apiVersion: RBAC.version,
      kind: 'RoleBinding',
      metadata: { name, ...place },
      roleRef: { apiGroup: RBAC.group, kind: 'Role', name },
      subjects,
    },
    ...(clusterRole === true ? listEverywhere(namespace, subjects) : []),
  ];
}

/** Cluster-scoped objects need a name that another fleet in the cluster does not use. */
function listEverywhere(namespace: string | undefined, subjects: readonly object[]): KubeObject[] {
  const name = namespace === undefined ? 'integrations-manager' : `integrations-manager-${namespace}`;
  return [
    { apiVersion: RBAC.version, kind: 'ClusterRole', metadata: { name }, rules: LIST_EVERYWHERE },
    {
      apiVersion: RBAC.version,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: RBAC.group, kind: 'ClusterRole', name },
      subjects,
    },
  ];
}
