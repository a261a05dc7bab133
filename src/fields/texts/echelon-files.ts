import { type FieldTexts, HEALTH_CHECKS, under } from './datafiles.ts';

export const MANAGER_EXAMPLE = {
  defaults: { environment: 'production' },
  upstreams: [
    {
      url: 'https://github.com/example/fleet-tools',
      image: 'quay.io/example/fleet-tools',
      tagParameter: 'FLEET_TOOLS_TAG',
    },
    { image: 'quay.io/example/tools', tag: '8c41f7e' },
  ],
};

export const MANAGER: FieldTexts = {
  defaults: ['defaults of flags; flags and variables win', { environment: 'production' }],
  'defaults.environment': ['environment in place of --environment-name', 'production'],
  'defaults.upstream': ['upstream in place of --upstream', 'https://github.com/example/fleet-tools'],
  upstreams: ['what the integrations of each upstream run', MANAGER_EXAMPLE.upstreams],
  ...under('upstreams', {
    url: [
      'upstream, as integration files have it; integrations without one when absent',
      'https://github.com/example/fleet-tools',
    ],
    image: ['image repository, without tag', 'quay.io/example/fleet-tools'],
    tag: ['image tag, optionally with its digest; at most one of tag, tagParameter and tagRef', '8c41f7e'],
    tagParameter: ['parameter of the environment that holds the tag', 'FLEET_TOOLS_TAG'],
    tagRef: ['ref of the upstream whose commit is the tag; needs url', 'main'],
    chart: ['folder of a chart, below the instance or absolute; --chart wins', 'my-chart'],
  }),
};

const MATCH: FieldTexts = {
  environments: ['names of environments, * for any text; every environment when absent', ['app-interface-production']],
  integrations: ['names of integrations, * for any text; every integration when absent', ['terraform-*']],
};

const ALLOWED_DIFFERENCES: FieldTexts = {
  maxDifferences: ['actions that only one of the two images would take', 0],
};

export const ROLLOUTS_EXAMPLE = {
  tracks: [
    {
      name: 'terraform-production',
      match: { environments: ['app-interface-production'], integrations: ['terraform-*'] },
      waves: [
        { name: 'canary', shards: ['terraform-resources/payments-ci'], soak: '4h' },
        { name: 'early', percent: 20, soak: '1d', maxParallel: 3 },
        { name: 'rest' },
      ],
      window: '* 8-16 * * 1-4',
      health: { queries: [] },
      onFailure: 'rollback',
    },
  ],
};

export const ROLLOUTS: FieldTexts = {
  tracks: ['how new images reach shards; a shard belongs to the first track that matches it'],
  ...under('tracks', {
    name: ['name of the track', 'terraform-production'],
    match: ['shards of the track', { integrations: ['terraform-*'] }],
    ...under('match', MATCH),
    waves: [
      'in this order; a shard belongs to the first wave that selects it',
      [{ name: 'canary', percent: 10 }, { name: 'rest' }],
    ],
    'waves.name': ['name of the wave', 'canary'],
    'waves.shards': [
      'shards by name, or as INTEGRATION/SHARD; a name includes its sub-shards',
      ['terraform-resources/payments-ci'],
    ],
    'waves.percent': [
      'share of all shards of the track, at least one; with neither shards nor percent, all that are left',
      20,
    ],
    'waves.soak': ['how long every shard must have been seen healthy before the next wave opens', '4h'],
    'waves.maxParallel': ['shards that have moved and are not yet healthy for five minutes', 3],
    'waves.shadow': ['the rule of the wave, instead of that of the track', { maxDifferences: 2 }],
    ...under('waves.shadow', ALLOWED_DIFFERENCES),
    window: [
      'minutes at which moves may begin: minute hour day month weekday in UTC; always when absent',
      '* 8-16 * * 1-4',
    ],
    health: ['what a healthy shard is', { queries: ['reconcile-errors'] }],
    'health.maxRestarts': ['restarts since the move', 2],
    'health.progressDeadline': ['time until a shard that moved must be ready', '15m'],
    'health.queries': ['names of queries that must be as expected; an empty list for none', ['reconcile-errors']],
    shadow: [
      'before a shard moves, dry runs on its image and on the target are compared; not when absent',
      { maxDifferences: 0 },
    ],
    ...under('shadow', ALLOWED_DIFFERENCES),
    onFailure: ['what happens when an image fails on a shard: no further shard moves, or those that moved go back too'],
    supersede: [
      'what a newer image does to a rollout under way: it starts again at the first wave, or waits for its end',
    ],
  }),
  queries: ['PromQL queries that tell a healthy shard'],
  ...under('queries', {
    name: ['name of the query, as tracks use it', 'reconcile-errors'],
    promql: [
      'expression with one sample; $integration, $shard, $cluster, $namespace, $image and $pods are those of a shard',
      'max(qontract_reconcile_last_run_status{namespace="$namespace",pod=~"$pods"})',
    ],
    expect: ['sample of a healthy shard: min, max or both', { max: 0 }],
    'expect.min': ['lowest sample', 0.99],
    'expect.max': ['highest sample', 0],
  }),
  freezes: ['times in which nothing moves forward'],
  ...under('freezes', {
    name: ['name of the freeze', 'quarter-end'],
    from: ['begin, in ISO 8601', '2026-12-20T00:00:00Z'],
    until: ['end, in ISO 8601; outside the freeze', '2027-01-03T00:00:00Z'],
    match: ['what it holds; everything when absent', { environments: ['app-interface-production'] }],
    ...under('match', MATCH),
    reason: ['why, for users', 'quarter end'],
  }),
  overrules: [
    'human decisions about tracks; echelon rollout pause, resume, expedite, reject and accept-shadow add them',
    [
      {
        track: 'terraform-production',
        action: 'reject',
        image: 'f929a38',
        at: '2026-12-01T09:00:00Z',
        reason: 'INC-123',
      },
    ],
  ],
  ...under('overrules', {
    track: ['name of the track', 'terraform-production'],
    action: ['what is decided'],
    image: ['image by tag, tag and digest, or whole; only pause and accept-shadow may be without', 'f929a38'],
    digest: ['of the difference that an accept-shadow accepts, as explain shows it', 'sha256:8f3a5c0d1e2b'],
    at: ['when it was decided, in ISO 8601', '2026-12-01T09:00:00Z'],
    until: ['end of a pause or expedite, in ISO 8601; the other actions have none', '2026-12-01T13:00:00Z'],
    reason: ['why, for users', 'INC-123: logs look odd'],
  }),
};

export const PROMOTION: FieldTexts = {
  upstreams: [
    'repositories or images whose versions are promoted, by a name of your choice; targets without an upstream belong to the first',
    { reconcile: { url: 'https://github.com/app-sre/qontract-reconcile' } },
  ],
  ...under('upstreams', {
    url: [
      'address of the repository; when absent its versions are tags of the image, promoted with --to TAG',
      'https://github.com/app-sre/qontract-reconcile',
    ],
    image: ['image repository, asked for the image of a commit', 'quay.io/app-sre/qontract-reconcile'],
    branch: ['branch whose newest commit is promoted; the default branch when absent', 'main'],
    labels: ['labels of its merge requests, in addition', ['reconcile']],
  }),
  labels: ['labels of all merge requests', ['promotion']],
  targetBranch: ['branch that merge requests go to; the default branch when absent', 'main'],
  branchPrefix: ['begin of the name of branches that are pushed', 'promote-'],
  targets: [
    'places that hold a version',
    [{ name: 'checks', file: '.env', key: 'RECONCILE_IMAGE_TAG', form: 'short' }],
  ],
  ...under('targets', {
    name: ['name of the target, as in --only', 'checks'],
    environment: ['environment that it deploys to, as in --only', 'app-interface-production'],
    upstream: ['upstream whose version it holds; the first when absent', 'reconcile'],
    file: ['one file, below the root of the instance; either this or schema', '.env'],
    schema: [
      'all datafiles with this $schema, or with one of several; either this or file',
      '/app-sre/saas-file-2.yml',
    ],
    selector: ['values that the datafile must have, by dotted key; with schema', { name: 'saas-qontract-manager' }],
    key: ['key of a line KEY=VALUE in the file; either this or path', 'RECONCILE_IMAGE_TAG'],
    path: [
      'where the value is: keys separated by dots, [key=value] for an item of a list, [] for all items',
      'resourceTemplates[name=manager].targets[].ref',
    ],
    digest: ['key beside the value that holds the digest of the image; with path', 'IMAGE_DIGEST'],
    form: ['how the version is written: an abbreviated commit, a full one, a digest, or a release name'],
    length: ['characters of the form short; those of the instance when absent', 7],
    required: ['whether a promotion fails when the place does not exist'],
    matches: ['how many places there must be', { min: 1, max: 3 }],
    'matches.min': ['fewest places', 1],
    'matches.max': ['most places', 3],
  }),
};

const CREDENTIALS: FieldTexts = {
  clientId: ['id of the client, with a client secret', 'my-client'],
  clientSecretEnv: ['environment variable with the client secret', 'OCM_SECRET'],
  clientSecretFile: ['file with the client secret, relative to this file', 'client-secret'],
  offlineTokenEnv: ['environment variable with an offline token', 'OCM_OFFLINE_TOKEN'],
  offlineTokenFile: ['file with an offline token, relative to this file', 'offline-token'],
  accessTokenEnv: ['environment variable with an access token', 'OCM_TOKEN'],
  accessTokenFile: ['file with an access token, relative to this file', 'access-token'],
};
const LOGIN = { clientId: 'my-client', clientSecretEnv: 'OCM_SECRET' };
const HOW = 'how to log in: exactly one secret, by variable or file, never the secret itself';

export const UPGRADES: FieldTexts = {
  environments: ['OCM environments'],
  ...under('environments', {
    name: ['name of the environment, as in --ocm-env; histories are stored by it', 'production'],
    url: ['address of OCM', 'https://api.openshift.com'],
    tokenUrl: ['where tokens are issued; that of OCM when absent', 'https://sso.example.com/token'],
    credentials: [HOW, LOGIN],
    ...under('credentials', CREDENTIALS),
    telemetry: [
      'a Prometheus with the alerts of all clusters, for the health check telemeter',
      { url: 'https://telemeter.example.com/api/v1/query', credentials: { accessTokenEnv: 'TELEMETER_TOKEN' } },
    ],
    'telemetry.url': ['address of its query API', 'https://telemeter.example.com/api/v1/query'],
    'telemetry.tokenUrl': ['where its tokens are issued; as for OCM when absent', 'https://sso.example.com/token'],
    'telemetry.credentials': [HOW, { accessTokenEnv: 'TELEMETER_TOKEN' }],
    ...under('telemetry.credentials', CREDENTIALS),
    'telemetry.query': [
      'PromQL with a sample above 0 for each unhealthy cluster, by its UUID in _id; {organization} is the id of the organization',
      'count by (_id) (alerts{severity="critical"})',
    ],
  }),
  organizations: ['organizations whose clusters are upgraded', { allow: ['1QfZcT8mLwKpR2vN9sXdY4hB6gJ'] }],
  ...under('organizations', {
    allow: [
      'ids of organizations, or more about each; all for every one that the login sees',
      ['1QfZcT8mLwKpR2vN9sXdY4hB6gJ'],
    ],
    'allow.id': ['id of the organization in OCM; letter case matters', '1QfZcT8mLwKpR2vN9sXdY4hB6gJ'],
    'allow.name': ['name in reports', 'payments'],
    'allow.environment': ['only in this OCM environment', 'production'],
    'allow.healthChecks': ['health checks of its clusters, in place of those of all'],
    ...under('allow.healthChecks', HEALTH_CHECKS),
    deny: ['ids of organizations that are left alone', ['2c5kd8x1mq0zwv7rAbCdEfGhIjK']],
  }),
  healthChecks: ['health checks of all clusters'],
  ...under('healthChecks', HEALTH_CHECKS),
  rules: ['rules of decisions: default, qontract, or either with changes; as --rules', 'default'],
  ignoreStsClusters: ['whether clusters with STS are left alone'],
  state: [
    'where histories are stored: a folder, s3://BUCKET/PREFIX, configmap:[NAMESPACE/]NAME, or a bucket',
    's3://my-bucket/state',
  ],
  ...under('state', {
    bucket: ['name of the bucket', 'my-bucket'],
    prefix: ['begin of every key (default state)', 'state'],
    region: ['region of the bucket', 'us-east-1'],
    endpoint: ['address of an S3 server other than AWS', 'https://s3.example.com'],
    pathStyle: ['whether the bucket is part of the path, not of the host'],
  }),
};

export const SHADOW_EXAMPLE = {
  integrations: {
    'terraform-resources': {
      actions: ['^\\[(?:create|update|delete)\\] (.*)$'],
      masks: [{ pattern: 'request-[0-9a-f]+', with: 'request-ID' }],
    },
  },
};

export const SHADOW: FieldTexts = {
  integrations: ['how the output of integrations is compared, by their names', SHADOW_EXAMPLE.integrations],
  ...under('integrations', {
    actions: [
      'RE2 patterns of messages that are actions: their groups, or the whole message; in place of those of existing integrations',
      ['^Deleting (\\S+)'],
    ],
    ignore: ['RE2 patterns of messages that are not compared', ['^cache hit']],
    masks: ['what differs between two runs of the same image, and is replaced before comparing'],
    'masks.pattern': ['RE2 pattern of what is replaced', 'request-[0-9a-f]+'],
    'masks.with': ['text in its place', 'request-ID'],
    inconclusive: ['RE2 patterns of messages after which a run proves nothing', ['^feature toggle .* is off']],
    collapseRepeats: ['whether exact repeats of an action count once (default true for terraform-*)'],
  }),
};
