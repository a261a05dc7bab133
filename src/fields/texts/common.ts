import type { FieldText, FieldTexts } from '../kind.ts';

export const SCHEMA_TEXT: FieldText = ['which kind of file it is'];

export function labelsText(of: string): FieldText {
  return [`labels of ${of}, for selection by users and tools`, { service: 'app-interface' }];
}

export const REF: FieldTexts = {
  $ref: ['path of the file below data/, with a leading slash', '/services/app-interface/namespaces/production.yml'],
};

/** A reference to a file of one kind. */
export function refTo(field: string, meaning: string, example: string): FieldTexts {
  return {
    [field]: [meaning],
    [`${field}.$ref`]: ['path of the file below data/, with a leading slash', example],
  };
}

/** The location of a secret; never its value. */
export const VAULT_SECRET: FieldTexts = {
  path: ['path of the secret in Vault, mount first', 'app-sre/creds/clusters/prod-01'],
  field: ['field of the secret', 'token'],
  format: ['how the field is stored'],
  version: ['version of the secret in a versioned mount; the newest when absent', 3],
};

export const RESOURCES: FieldTexts = {
  requests: ['what the scheduler reserves', { cpu: '200m', memory: '500Mi' }],
  'requests.cpu': ['CPU to reserve, as a Kubernetes quantity', '200m'],
  'requests.memory': ['memory to reserve, as a Kubernetes quantity', '500Mi'],
  limits: ['what the container may use at most; not below the requests', { memory: '1Gi' }],
  'limits.cpu': ['most CPU; usually left out, so that idle CPU can be used', '1'],
  'limits.memory': ['most memory: above it the container is killed', '1Gi'],
};

export const UPGRADE_POLICY: FieldTexts = {
  schedule: [
    'when an upgrade may start: minute hour day month weekday in UTC, all of which must match',
    '0 8-15 * * 1-4',
  ],
  workloads: ['what runs on the cluster; a version soaks for each workload by itself', ['payments']],
  versionGateApprovals: ['version gates that may be acknowledged automatically', ['api.openshift.com/gate-ocp']],
  conditions: ['what must hold before the cluster takes a version'],
  'conditions.soakDays': ['days that other clusters with the same workloads must have run the version', 7],
  'conditions.mutexes': ['of all clusters with the same mutex only one is upgraded at a time', ['payments']],
  'conditions.sector': ['sector of the organization that the cluster belongs to', 'production'],
  'conditions.blockedVersions': ['versions that the cluster never takes, as RE2 patterns', ['^4\\.16\\.3$']],
};

export const HEALTH_CHECKS: FieldTexts = {
  provider: ['who is asked: ocm, or telemeter where it is configured', 'ocm'],
  enforced: ['whether an unhealthy cluster earns no soak and is not upgraded; otherwise it is only measured'],
};

export const DISABLE: FieldText = [
  'mapping with integrations: a list of names that do not run for this item; inline, or as $ref to a file of its own',
  { integrations: ['terraform-resources'] },
];
