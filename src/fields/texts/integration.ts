import { type FieldTexts, labelsText, RESOURCES, refTo, SCHEMA_TEXT, under } from './datafiles.ts';

const PR_CHECK: FieldTexts = {
  cmd: ['integration to dry-run for a change, as its command line names it', 'terraform-resources'],
  state: ['whether the dry run needs access to the state bucket'],
  sqs: ['whether the dry run needs access to the merge request queue'],
  disabled: ['whether changes are not checked with this integration'],
  always_run: ['whether it is run for every change, also one that does not affect it'],
  no_validate_schemas: ['whether the data is not validated against schemas before the run'],
  run_for_valid_saas_file_changes: ['whether it is also run for changes of saas files that are valid by themselves'],
  early_exit: ['whether the run ends at once when the change does not affect its desired state'],
  check_only_affected_shards: [
    'whether only the affected shards are run; desired states are compared as with early_exit',
  ],
  run_order: ['place in the order of checks: lower numbers first', 10],
  imageRef: ['image tag for the check; that of the promotion when absent', 'f929a38'],
};

const EXTRA_ENV: FieldTexts = {
  secretName: ['Secret of the namespace to take the variable from', 'gitlab'],
  secretKey: ['key in the Secret, which is also the name of the variable', 'GITLAB_TOKEN'],
  name: ['name of the variable', 'LOG_LEVEL'],
  value: ['value of the variable; never a secret', 'debug'],
};

const LOGS: FieldTexts = {
  cloudwatch: ['whether the log is shipped to CloudWatch; false for none (default true)'],
  slack: ['whether the log is shipped to Slack'],
  googleChat: ['whether the log is shipped to Google Chat'],
  slackErrorFilter: ['whether errors also go to a Slack channel of their own'],
  govSlack: ['whether the log is shipped to the Slack of the government cloud'],
};

const SPEC: FieldTexts = {
  cache: ['whether a volume keeps the cache between restarts; the workload is then a StatefulSet'],
  command: ['program to run in place of the default of the image', 'qontract-reconcile'],
  disableUnleash: ['whether the feature toggles of Unleash are not asked'],
  environmentAware: ['whether the pod gets the environment of its namespace in ENVIRONMENT_NAME'],
  extraArgs: ['arguments that follow the name of the integration, quoted as in a shell', '--thread-pool-size 20'],
  extraEnv: [
    'additional environment variables, each by value or from a Secret',
    [{ name: 'LOG_LEVEL', value: 'debug' }],
  ],
  ...under('extraEnv', EXTRA_ENV),
  imageRef: ['image tag of all shards of this entry, optionally with its digest', 'f929a38'],
  internalCertificates: ['whether the certificates of a private authority are mounted'],
  logs: ['where the sidecar ships the log', { slack: true }],
  ...under('logs', LOGS),
  resources: [
    'CPU and memory of the integration',
    { requests: { cpu: '200m', memory: '500Mi' }, limits: { memory: '1Gi' } },
  ],
  ...under('resources', RESOURCES),
  fluentdResources: ['CPU and memory of the log sidecar', { requests: { cpu: '15m', memory: '30Mi' } }],
  ...under('fluentdResources', RESOURCES),
  sleepDurationSecs: ['seconds between two runs, as text (default 300)', '600'],
  state: ['whether the pod gets access to the state bucket'],
  storage: ['size of the volume, with cache (default 1Gi)', '10Gi'],
  storageClassName: ['storage class of the volume, with cache (default gp2)', 'gp3-csi'],
  trigger: ['whether logs go to the channels for triggers'],
  cron: ['schedule of a CronJob in place of a loop: minute hour day month weekday in UTC', '0 6 * * 1-5'],
  dashdotdb: ['with cron: whether the pod gets the login of dashdotdb'],
  concurrencyPolicy: ['with cron: what happens when the run before has not ended (default Allow)'],
  restartPolicy: ['with cron: whether a failed pod is restarted (default OnFailure); not Always', 'OnFailure'],
  successfulJobHistoryLimit: ['with cron: how many successful jobs are kept (default 3)', 3],
  failedJobHistoryLimit: ['with cron: how many failed jobs are kept (default 1)', 1],
  enablePushgateway: ['with cron: whether metrics are pushed to a Pushgateway'],
};

const OVERRIDE: FieldTexts = {
  shard: ['which shard: $ref to the file of its item, its name, or the number of a static shard', 'payments-ci'],
  'shard.$ref': ['path of the file of the item below data/', '/aws/payments-ci/account.yml'],
  imageRef: ['image tag of the shard: it is pinned', 'f929a38'],
  resources: ['CPU and memory of the shard, in place of those of the spec', { requests: { cpu: '1', memory: '4Gi' } }],
  ...under('resources', RESOURCES),
  disabled: ['whether the shard has no replicas, or its CronJob is suspended'],
  subSharding: ['how the shard is split; the integration must read SHARDS', { strategy: 'static', shards: 3 }],
  'subSharding.strategy': ['how the work of the shard is divided'],
  'subSharding.shards': ['number of parts (default 1)', 3],
};

export const INTEGRATION_EXAMPLE = {
  $schema: '/app-sre/integration-1.yml',
  name: 'terraform-resources',
  description: 'Manage AWS resources with Terraform',
  upstream: 'https://github.com/app-sre/qontract-reconcile',
  schemas: ['/aws/account-1.yml'],
  managed: [
    {
      namespace: { $ref: '/services/app-interface/namespaces/production.yml' },
      spec: { resources: { requests: { cpu: '200m', memory: '500Mi' }, limits: { memory: '1Gi' } } },
      sharding: { strategy: 'per-aws-account' },
    },
  ],
};

export const INTEGRATION: FieldTexts = {
  $schema: SCHEMA_TEXT,
  name: ['name of the integration, as commands and object names have it', 'terraform-resources'],
  description: ['what it does', 'Manage AWS resources with Terraform'],
  labels: labelsText('the integration'),
  upstream: ['repository of its source; decides which image it runs', 'https://github.com/app-sre/qontract-reconcile'],
  schemas: ['schemas of the datafiles that it reads; a change of one affects it', ['/aws/account-1.yml']],
  capabilities: [
    'what it supports: flags that pass a shard, SHARDS, SHARD_MEMBERSHIP, /healthz, WRITES_IN_DRY_RUN; in place of what is built in',
    ['SHARDS', '/healthz'],
  ],
  pr_check: ['how a change of the instance is checked with it'],
  ...under('pr_check', PR_CHECK),
  managed: ['where and how it runs: one entry per namespace'],
  ...under('managed', {
    ...refTo(
      'namespace',
      'namespace to run in: a namespace or a lean namespace',
      '/services/app-interface/namespaces/production.yml',
    ),
    spec: ['how it runs there'],
    ...under('spec', SPEC),
    sharding: ['how its work is divided among pods; a single shard when absent', { strategy: 'per-aws-account' }],
    'sharding.strategy': [
      'static, per-aws-account, per-openshift-cluster, per-ocm-organization, per-ocm-environment or per-cloudflare-zone',
      'per-aws-account',
    ],
    'sharding.shards': ['number of shards of the strategy static (default 1)', 3],
    'sharding.membership': [
      'how static shards share keys: md5 as existing integrations (default), or rendezvous for integrations with SHARD_MEMBERSHIP',
    ],
    'sharding.shardSpecOverrides': [
      'what single shards have of their own',
      [{ shard: 'payments-ci', imageRef: 'f929a38' }],
    ],
    ...under('sharding.shardSpecOverrides', OVERRIDE),
  }),
};
