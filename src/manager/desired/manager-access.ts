import { defined } from '../../base/index.ts';
import type { KubeObject } from './desired-namespace.ts';

/** The name of everything that a fleet's pods share. */
const NAME = 'qontract-reconcile';
/** The manager's service account: integrations do not get its permissions. */
export const MANAGER_ACCOUNT = 'integrations-manager';

/** Without `watch` the loop lists everything in every pass. */
const OBSERVE = ['list', 'watch'];

/** Exactly what a manager writes in the namespaces of integrations, and what `status` reads there. */
const DEPLOY = [
  { apiGroups: ['apps'], resources: ['deployments', 'statefulsets'], verbs: [...OBSERVE, 'create', 'patch', 'delete'] },
  { apiGroups: ['batch'], resources: ['cronjobs'], verbs: [...OBSERVE, 'create', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['services'], verbs: [...OBSERVE, 'create', 'patch', 'delete'] },
  { apiGroups: ['apps'], resources: ['replicasets'], verbs: ['list'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
  { apiGroups: ['batch'], resources: ['jobs'], verbs: ['list'] },
];

/** What the leader election of an integration needs in the namespace of its pods. */
const LEAD = [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] }];

/** The record of rollouts, in the manager's namespace. */
export const ROLLOUT_RECORD = 'echelon-rollouts';
const RECORD = [
  { apiGroups: [''], resources: ['configmaps'], resourceNames: [ROLLOUT_RECORD], verbs: ['get', 'update'] },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
];

/** To find own objects in namespaces that no integration declares any more. */
const LIST_EVERYWHERE = [
  { apiGroups: ['apps'], resources: ['deployments', 'statefulsets'], verbs: OBSERVE },
  { apiGroups: ['batch'], resources: ['cronjobs'], verbs: OBSERVE },
  { apiGroups: [''], resources: ['services'], verbs: OBSERVE },
];

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'rbac.authorization.k8s.io/v1' } as const;

export interface AccessOptions {
  /** The manager's namespace; that of the request when absent. Required for access to anything outside of it. */
  readonly namespace?: string;
  /** Other namespaces that integrations run in. */
  readonly deployTo?: readonly string[];
  /** Also allow listing in all namespaces, to find orphaned objects. */
  readonly clusterRole?: boolean;
}

/**
 * The manager's service account, with its permissions in its namespace and in those that it deploys to; and in each of these the
 * service account of the integrations' pods, with permission for a lease, which Echelon's own integrations hold.
 */
export function managerAccess({ namespace, deployTo = [], clusterRole }: AccessOptions = {}): KubeObject[] {
  const others = [...new Set(deployTo)].filter((name) => name !== namespace);
  const manager = { kind: 'ServiceAccount', name: MANAGER_ACCOUNT, ...defined({ namespace }) };
  return [
    ...integrationsAccess(namespace),
    account(MANAGER_ACCOUNT, namespace),
    ...granted(MANAGER_ACCOUNT, namespace, [...DEPLOY, ...LEAD, ...RECORD], manager),
    ...others.flatMap((name) => [...integrationsAccess(name), ...granted(MANAGER_ACCOUNT, name, DEPLOY, manager)]),
    ...(clusterRole === true ? listEverywhere(namespace, manager) : []),
  ];
}

function integrationsAccess(namespace: string | undefined): KubeObject[] {
  const subject = { kind: 'ServiceAccount', name: NAME, ...defined({ namespace }) };
  return [account(NAME, namespace), ...granted(NAME, namespace, LEAD, subject)];
}

function account(name: string, namespace: string | undefined): KubeObject {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, ...defined({ namespace }) } };
}

function granted(name: string, namespace: string | undefined, rules: readonly object[], subject: object): KubeObject[] {
  const metadata = { name, ...defined({ namespace }) };
  const roleRef = { apiGroup: RBAC.group, kind: 'Role', name };
  return [
    { apiVersion: RBAC.version, kind: 'Role', metadata, rules },
    { apiVersion: RBAC.version, kind: 'RoleBinding', metadata, roleRef, subjects: [subject] },
  ];
}

/** Cluster-scoped objects need a name that another fleet in the cluster does not use. */
function listEverywhere(namespace: string | undefined, subject: object): KubeObject[] {
  const name = [MANAGER_ACCOUNT, ...(namespace === undefined ? [] : [namespace])].join('-');
  const roleRef = { apiGroup: RBAC.group, kind: 'ClusterRole', name };
  return [
    { apiVersion: RBAC.version, kind: 'ClusterRole', metadata: { name }, rules: LIST_EVERYWHERE },
    { apiVersion: RBAC.version, kind: 'ClusterRoleBinding', metadata: { name }, roleRef, subjects: [subject] },
  ];
}
