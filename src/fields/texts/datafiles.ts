/** The meaning of a field, and an example; by default the first of its values, or `true`. */
export type FieldText = readonly [meaning: string, example?: unknown];
/** Texts by path of the field, without positions: `managed.spec.cron`. */
export type FieldTexts = Readonly<Record<string, FieldText>>;

/** The texts one level deeper, below `parent`. */
export function under(parent: string, texts: FieldTexts): FieldTexts {
  return Object.fromEntries(Object.entries(texts).map(([path, text]) => [`${parent}.${path}`, text]));
}

export const SCHEMA_TEXT: FieldText = ['which kind of file it is'];

export function labelsText(of: string): FieldText {
  return [`labels of ${of}, for selection by users and tools`, { service: 'app-interface' }];
}

/** A reference to a file of one kind. */
export function refTo(field: string, meaning: string, example: string): FieldTexts {
  return {
    [field]: [meaning],
    [`${field}.$ref`]: ['path of the file below data/, with a leading slash', example],
  };
}

/** The location of a secret; never its value. */
const VAULT_SECRET: FieldTexts = {
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

const UPGRADE_POLICY: FieldTexts = {
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

const DISABLE: FieldText = [
  'mapping with integrations: a list of names that do not run for this item; inline, or as $ref to a file of its own',
  { integrations: ['terraform-resources'] },
];

export const NAMESPACE: FieldTexts = {
  $schema: SCHEMA_TEXT,
  name: ['name of the namespace in its cluster', 'app-interface-production'],
  labels: labelsText('the namespace'),
  ...refTo('cluster', 'cluster that it is in', '/openshift/prod-01/cluster.yml'),
  ...refTo('environment', 'environment that it belongs to', '/products/app-interface/environments/production.yml'),
  delete: ['whether the namespace is marked for deletion; validate warns about integrations in it'],
};

export const LEAN_NAMESPACE: FieldTexts = {
  $schema: SCHEMA_TEXT,
  name: ['name of the namespace in its cluster', 'integrations'],
  labels: labelsText('the namespace'),
  cluster: ['cluster that it is in, without a file of its own'],
  'cluster.name': ['name of the cluster; the same name is the same API server everywhere', 'prod-01'],
  'cluster.serverUrl': ['address of the API server', 'https://api.prod-01.example.com:6443'],
  'cluster.automationToken': ['where the token for the API server is'],
  ...under('cluster.automationToken', VAULT_SECRET),
  environment: ['environment that it belongs to, without a file of its own'],
  'environment.name': ['name of the environment, as in --environment-name', 'production'],
  'environment.parameters': ['template parameters of all workloads in it', { IMAGE_TAG: 'f929a38' }],
};

export const CLUSTER: FieldTexts = {
  $schema: SCHEMA_TEXT,
  name: ['name of the cluster', 'prod-01'],
  description: ['what it is for', 'Production, us-east-1'],
  labels: labelsText('the cluster'),
  serverUrl: [
    'address of the API server; empty while the cluster does not exist yet',
    'https://api.prod-01.example.com:6443',
  ],
  consoleUrl: ['address of the web console', 'https://console.prod-01.example.com'],
  internal: ['whether it is reached from the internal network only: --internal and --external select by it'],
  insecureSkipTLSVerify: ['whether the certificate of the API server is not verified'],
  automationToken: ['where the token for its namespaces is'],
  ...under('automationToken', VAULT_SECRET),
  clusterAdminAutomationToken: ['where the token of a cluster administrator is'],
  ...under('clusterAdminAutomationToken', VAULT_SECRET),
  ...refTo('ocm', 'OCM organization that owns it', '/ocm/payments.yml'),
  spec: ['what the cluster is, as OCM has it'],
  'spec.product': ['product of OCM', 'rosa'],
  'spec.id': ['id in OCM', '1a2b3c4d5e6f7g8h'],
  'spec.external_id': ['UUID of the cluster', '0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0'],
  'spec.provider': ['cloud provider', 'aws'],
  'spec.region': ['region of the provider', 'us-east-1'],
  'spec.channel': ['channel of upgrades', 'stable'],
  'spec.version': ['version that it runs', '4.16.8'],
  'spec.initial_version': ['version that it was installed with', '4.14.2'],
  'spec.multi_az': ['whether it spans availability zones'],
  'spec.private': ['whether its API server is private'],
  'spec.hypershift': ['whether its control plane is hosted'],
  upgradePolicy: ['when and under which conditions it takes a new version'],
  ...under('upgradePolicy', UPGRADE_POLICY),
  disable: DISABLE,
};

export const ENVIRONMENT: FieldTexts = {
  $schema: SCHEMA_TEXT,
  name: ['name of the environment, as in --environment-name', 'app-interface-production'],
  description: ['what it is for', 'Production of app-interface'],
  labels: labelsText('the environment'),
  ...refTo('product', 'product that it is an environment of', '/products/app-interface/product.yml'),
  servicePhase: ['how mature the service is there', 'production'],
  parameters: ['template parameters of all workloads in it, such as IMAGE_TAG', { IMAGE_TAG: 'f929a38' }],
  ...refTo(
    'dependsOn',
    'environment that gets a version before this one',
    '/products/app-interface/environments/stage.yml',
  ),
};

export const ACCOUNT: FieldTexts = {
  $schema: SCHEMA_TEXT,
  name: ['name of the account; the shard of per-aws-account has it', 'payments'],
  description: ['what it is for', 'Payments, production'],
  labels: labelsText('the account'),
  uid: ['number of the account, as text', '410000000002'],
  consoleUrl: ['address of its console', 'https://410000000002.signin.aws.example.com/console'],
  resourcesDefaultRegion: ['region of resources that name none', 'us-east-1'],
  supportedDeploymentRegions: ['regions that may have resources', ['us-east-1']],
  partition: ['partition of AWS', 'aws'],
  disable: DISABLE,
};

export const ORGANIZATION: FieldTexts = {
  $schema: SCHEMA_TEXT,
  name: ['name of the organization', 'ocm-payments'],
  description: ['whose clusters it has', 'Clusters of payments'],
  labels: labelsText('the organization'),
  orgId: ['id of the organization in OCM; letter case matters', '1QfZcT8mLwKpR2vN9sXdY4hB6gJ'],
  externalOrgId: ['id of the organization outside OCM', '12345678'],
  ...refTo('environment', 'OCM environment that it is in', '/ocm/environments/production.yml'),
  accessTokenClientId: ['client of its own to log in with; that of the environment when absent', 'payments-upgrades'],
  accessTokenUrl: ['token address of its own; that of the environment when absent', 'https://sso.example.com/token'],
  accessTokenClientSecret: ['where the secret of the client is; that of the environment when absent'],
  ...under('accessTokenClientSecret', VAULT_SECRET),
  blockedVersions: ['versions that no cluster takes, as RE2 patterns', ['^4\\.16\\.3$']],
  sectors: [
    'groups of clusters that are upgraded in order',
    [{ name: 'production', dependencies: [{ name: 'stage' }] }],
  ],
  'sectors.name': ['name of the sector', 'production'],
  'sectors.maxParallelUpgrades': [
    'clusters of the sector that are upgraded at once: a number or a percentage, as text',
    '25%',
  ],
  'sectors.dependencies': ['sectors whose clusters must have the version first', [{ name: 'stage' }]],
  'sectors.dependencies.name': ['name of the sector', 'stage'],
  ...refTo(
    'sectors.dependencies.ocm',
    'organization that has the sector; this one when absent',
    '/ocm/payments-stage.yml',
  ),
  upgradePolicyAllowedWorkloads: ['the only workloads that policies may name; any when absent', ['payments']],
  upgradePolicyAllowedMutexes: ['the only mutexes that policies may name; any when absent', ['payments']],
  upgradePolicyClusters: ['upgrade policies of clusters without a cluster file'],
  'upgradePolicyClusters.name': ['name of the cluster in OCM', 'pay-prod-ue1'],
  'upgradePolicyClusters.serverUrl': ['address of its API server', 'https://api.pay-prod-ue1.example.com:6443'],
  'upgradePolicyClusters.spec': ['what identifies the cluster beside its name', { id: '1a2b3c4d5e6f7g8h' }],
  'upgradePolicyClusters.spec.id': ['id of the cluster in OCM', '1a2b3c4d5e6f7g8h'],
  'upgradePolicyClusters.upgradePolicy': ['when and under which conditions it takes a new version'],
  ...under('upgradePolicyClusters.upgradePolicy', UPGRADE_POLICY),
  ausClusterHealthChecks: ['health checks of its clusters'],
  ...under('ausClusterHealthChecks', HEALTH_CHECKS),
  ...refTo('inheritVersionData', 'organizations whose history of versions counts here too', '/ocm/payments-stage.yml'),
  ...refTo('publishVersionData', 'organizations that may inherit the history of this one', '/ocm/payments.yml'),
  disable: ['integrations that do not run for the organization', { integrations: ['ocm-labels'] }],
  'disable.integrations': ['names of integrations', ['ocm-labels']],
};
