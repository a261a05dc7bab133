import { type FieldTexts, under } from '../kind.ts';

const MATCH: FieldTexts = {
  environments: ['names of environments, * for any text; every environment when absent', ['app-interface-production']],
  integrations: ['names of integrations, * for any text; every integration when absent', ['terraform-*']],
};

const SHADOW: FieldTexts = {
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
    ...under('waves.shadow', SHADOW),
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
    ...under('shadow', SHADOW),
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
