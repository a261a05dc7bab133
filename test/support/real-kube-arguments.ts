import { join } from 'node:path';

export interface ControlPlane {
  readonly folder: string;
  readonly etcdPort: number;
  readonly etcdPeerPort: number;
  readonly apiPort: number;
  readonly controllerManager: boolean;
  readonly audit: boolean;
  /** Where the audit log is written; below the folder unless given. */
  readonly auditLog: string;
}

const LOOPBACK = '127.0.0.1';

/** Megabytes that no test reaches: a log that is rotated away cannot be counted. */
const AUDIT_LOG_MEGABYTES = 100_000;

const CONTROLLERS = [
  'deployment-controller',
  'replicaset-controller',
  'statefulset-controller',
  'cronjob-controller',
  'job-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'serviceaccount-controller',
  'node-lifecycle-controller',
];

/** A node is not taken for dead because the machine is busy. */
const NODE_GRACE = '1h';

/** The files that the servers are given, below their folder. */
export const FILES = {
  certificate: 'certificates/apiserver.crt',
  key: 'certificates/apiserver.key',
  tokens: 'tokens.csv',
  signingKey: 'service-accounts.key',
  verifyingKey: 'service-accounts.pub',
  auditPolicy: 'audit-policy.json',
  auditLog: 'audit.log',
} as const;

export const AUDIT_POLICY = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] };

export function etcdArguments({ folder, etcdPort, etcdPeerPort }: ControlPlane): string[] {
  const [clients, peers] = [`http://${LOOPBACK}:${etcdPort}`, `http://${LOOPBACK}:${etcdPeerPort}`];
  return flags({
    name: 'e2e',
    'data-dir': join(folder, 'etcd'),
    'unsafe-no-fsync': 'true',
    'log-level': 'warn',
    'listen-client-urls': clients,
    'advertise-client-urls': clients,
    'listen-peer-urls': peers,
    'initial-advertise-peer-urls': peers,
    'initial-cluster': `e2e=${peers}`,
  });
}

/** The server makes its own certificate, for the loopback address, and keeps it for its next start. */
export function apiserverArguments(plane: ControlPlane): string[] {
  const file = (name: keyof typeof FILES): string => join(plane.folder, FILES[name]);
  const audit = {
    'audit-policy-file': file('auditPolicy'),
    'audit-log-path': plane.auditLog,
    'audit-log-mode': 'blocking',
    'audit-log-maxsize': String(AUDIT_LOG_MEGABYTES),
  };
  return flags({
    'bind-address': LOOPBACK,
    'advertise-address': LOOPBACK,
    'secure-port': String(plane.apiPort),
    'cert-dir': join(plane.folder, 'certificates'),
    'endpoint-reconciler-type': 'none',
    'etcd-servers': `http://${LOOPBACK}:${plane.etcdPort}`,
    'service-cluster-ip-range': '10.0.0.0/16',
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': file('verifyingKey'),
    'service-account-signing-key-file': file('signingKey'),
    'token-auth-file': file('tokens'),
    'anonymous-auth': 'false',
    'authorization-mode': 'RBAC',
    // Whole namespaces are emptied between measurements.
    'delete-collection-workers': '8',
    profiling: 'false',
    ...(plane.controllerManager ? {} : { 'disable-admission-plugins': 'ServiceAccount' }),
    ...(plane.audit ? audit : {}),
  });
}

export function controllerManagerArguments(kubeconfig: string): string[] {
  return flags({
    kubeconfig,
    controllers: CONTROLLERS.join(','),
    'use-service-account-credentials': 'false',
    'leader-elect': 'false',
    'secure-port': '0',
    'node-monitor-grace-period': NODE_GRACE,
    'kube-api-qps': '500',
    'kube-api-burst': '1000',
    profiling: 'false',
  });
}

function flags(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}
