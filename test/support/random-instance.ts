import * as fc from 'fast-check';

/** Integrations that the published manager knows, with the strategy whose flag they take. */
const INTEGRATIONS: Readonly<Record<string, string | undefined>> = {
  'advanced-upgrade-scheduler': 'per-ocm-organization',
  'gitlab-housekeeping': undefined,
  'jira-watcher': undefined,
  'openshift-namespaces': 'per-openshift-cluster',
  'openshift-resources': 'per-openshift-cluster',
  'terraform-resources': 'per-aws-account',
  'terraform-users': 'per-aws-account',
};
const NAMES = Object.keys(INTEGRATIONS);
const ACCOUNTS = ['alpha', 'beta', 'gamma'];
const CLUSTERS = ['cl-a', 'cl-b', 'cl-c'];
const ORGANIZATIONS = { red: '1AbC', green: '2xYz', blue: '0Org' };
const NAMESPACES = ['one', 'two', 'three', 'four'];

const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const quantities = fc.record({ cpu: fc.constantFrom('100m', '1', '0.5'), memory: fc.constantFrom('1Gi', '400Mi') });
const limits = fc.record({ memory: fc.constant('2Gi'), cpu: optional(fc.constant('2')) });
const whole = fc.record({ requests: quantities, limits });
const flag = optional(fc.boolean());
const spec = fc.record({
  ...{ cache: flag, disableUnleash: flag, environmentAware: flag, internalCertificates: flag, state: flag },
  ...{ trigger: flag, dashdotdb: flag, enablePushgateway: flag },
  command: optional(fc.constant('qontract-reconcile')),
  extraArgs: optional(fc.constantFrom('', '--external', '--x "a b"')),
  extraEnv: optional(
    fc.array(
      fc.constantFrom({ name: 'A', value: 'b' }, { name: 'B', value: '1' }, { secretName: 's', secretKey: 'KEY' }),
      { maxLength: 2 },
    ),
  ),
  logs: optional(fc.record({ slack: flag, googleChat: flag, slackErrorFilter: flag, govSlack: flag })),
  resources: fc.oneof({ weight: 60, arbitrary: whole }, { weight: 1, arbitrary: fc.record({ requests: quantities }) }),
  fluentdResources: optional(whole),
  sleepDurationSecs: optional(fc.constantFrom('60', '600')),
  storage: optional(fc.constant('2Gi')),
  storageClassName: optional(fc.constantFrom('gp2', 'gp3-csi')),
  imageRef: optional(fc.constantFrom('0473914', 'f929a38')),
  cron: fc.option(fc.constantFrom('0 * * * *', '*/15 8 * * 1-5'), { nil: undefined, freq: 2 }),
  concurrencyPolicy: optional(fc.constantFrom('Allow', 'Forbid', 'Replace')),
  restartPolicy: optional(fc.constantFrom('OnFailure', 'Never')),
  successfulJobHistoryLimit: optional(fc.nat(3)),
  failedJobHistoryLimit: optional(fc.nat(3)),
});

const override = fc.record({
  shard: fc.nat(2),
  imageRef: optional(fc.constantFrom('0473914', 'f929a38')),
  disabled: flag,
  resources: optional(whole),
  subSharding: fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.record({ strategy: fc.constant('static'), shards: fc.integer({ min: 1, max: 3 }) }) },
  ),
});
const sharding = fc.record({
  /** Which strategy: the integration's own, static, none, or one whose flag it does not take. */
  by: fc.oneof(
    { weight: 50, arbitrary: fc.constant('own') },
    { weight: 20, arbitrary: fc.constant('static') },
    { weight: 20, arbitrary: fc.constant('none') },
    { weight: 1, arbitrary: fc.constant('per-aws-account') },
  ),
  shards: fc.oneof({ weight: 20, arbitrary: fc.integer({ min: 1, max: 3 }) }, { weight: 1, arbitrary: fc.constant(0) }),
  overrides: fc.array(override, { maxLength: 2 }),
});
const managed = fc.record({ namespace: fc.nat(NAMESPACES.length - 1), spec, sharding });
const item = fc.record({ rank: fc.nat(9), disabled: fc.option(fc.subarray(NAMES, { maxLength: 2 })) });

const drawn = fc.record({
  accounts: fc.tuple(item, item, item),
  clusters: fc.tuple(item, item, item),
  organizations: fc.tuple(item, item, item),
  integrations: fc.uniqueArray(
    fc.record({ name: fc.constantFrom(...NAMES), managed: fc.array(managed, { minLength: 1, maxLength: 2 }) }),
    {
      ...{ selector: ({ name }) => name, minLength: 1, maxLength: 4 },
    },
  ),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never;

/** Datafiles by path. Order by path and order by name differ. */
export type RandomInstance = Readonly<Record<string, object>>;

export function randomInstances(count: number, seed: number): RandomInstance[] {
  return fc.sample(drawn, { seed, numRuns: count }).map((one) => JSON.parse(JSON.stringify(filesOf(one))));
}

const COMMON = { labels: {}, description: 'random' };
const SECRET = { path: 'p', field: 'f' };
const OCM = {
  ...{ name: 'ocm', url: 'https://ocm', accessTokenClientId: 'i', accessTokenUrl: 'https://sso' },
  accessTokenClientSecret: SECRET,
};

function filesOf({ accounts, clusters, organizations, integrations }: Drawn): RandomInstance {
  const path = (folder: string, name: string, rank: number): string => `/${folder}/${rank}-${name}.yml`;
  const paths = {
    'per-aws-account': ACCOUNTS.map((name, at) => path('aws', name, accounts[at]!.rank)),
    'per-openshift-cluster': CLUSTERS.map((name, at) => path('openshift', name, clusters[at]!.rank)),
    'per-ocm-organization': Object.keys(ORGANIZATIONS).map((name, at) => path('ocm', name, organizations[at]!.rank)),
  };
  const disabling = (names: readonly string[] | null): object =>
    names === null ? {} : { disable: { integrations: names } };
  const each = (strategy: keyof typeof paths, content: (at: number) => object): [string, object][] =>
    paths[strategy].map((file, at) => [file, { ...COMMON, ...content(at) }]);
  const shardingOf = (
    name: string,
    { by, shards, overrides }: Drawn['integrations'][0]['managed'][0]['sharding'],
  ): object | undefined => {
    const strategy = by === 'own' ? INTEGRATIONS[name] : by;
    if (strategy === undefined || strategy === 'none') return undefined;
    if (strategy === 'static') return { strategy, shards };
    const files = paths[strategy as keyof typeof paths];
    return { strategy, shardSpecOverrides: overrides.map((one) => ({ ...one, shard: { $ref: files[one.shard] } })) };
  };
  return Object.fromEntries([
    ...each('per-aws-account', (at) => ({
      ...{
        $schema: '/aws/account-1.yml',
        name: ACCOUNTS[at],
        uid: '1',
        consoleUrl: 'https://c',
        resourcesDefaultRegion: 'r',
      },
      ...{ automationToken: SECRET, providerVersion: '1', accountOwners: [], ...disabling(accounts[at]!.disabled) },
    })),
    ...each('per-openshift-cluster', (at) => ({
      ...{
        $schema: '/openshift/cluster-1.yml',
        name: CLUSTERS[at],
        serverUrl: `https://${CLUSTERS[at]}`,
        consoleUrl: 'https://c',
      },
      ...{ prometheusUrl: '', auth: [], managedGroups: [], ...disabling(clusters[at]!.disabled) },
    })),
    ...each('per-ocm-organization', (at) => ({
      ...{ $schema: '/openshift/openshift-cluster-manager-1.yml', name: Object.keys(ORGANIZATIONS)[at] },
      ...{ orgId: Object.values(ORGANIZATIONS)[at], environment: { $ref: '/ocm/environment.yml' } },
    })),
    ['/ocm/environment.yml', { $schema: '/openshift/openshift-cluster-manager-environment-1.yml', ...COMMON, ...OCM }],
    ...NAMESPACES.map((name): [string, object] => [
      `/namespaces/${name}.yml`,
      {
        ...{ $schema: '/openshift/lean-namespace-1.yml', ...COMMON, name },
        cluster: { name: CLUSTERS[0], serverUrl: `https://${CLUSTERS[0]}`, automationToken: SECRET },
        environment: { name: 'lab', parameters: { IMAGE_TAG: 't' } },
      },
    ]),
    ...integrations.map(({ name, managed: entries }): [string, object] => [
      `/integrations/${name}.yml`,
      {
        ...{ $schema: '/app-sre/integration-1.yml', ...COMMON, name, upstream: 'https://u', schemas: [] },
        managed: entries.map((entry) => ({
          namespace: { $ref: `/namespaces/${NAMESPACES[entry.namespace]}.yml` },
          spec: entry.spec,
          sharding: shardingOf(name, entry.sharding),
        })),
      },
    ]),
  ]);
}
