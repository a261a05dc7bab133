import { SCHEMA } from '../domain/reading.ts';

/**
 * The queries to a qontract-server as data: pruned to the types of the server, written as a query,
 * and used again to convert the response to datafiles.
 */
export type Selection = string | SelectedField;

export interface SelectedField {
  readonly name: string;
  /**
   * `json`: JSON as text. `ref`: a datafile, of which only the path is queried. `object`: fields of its own.
   * `refOrInline`: a datafile that may be inlined, such as a saas target: its path is queried with its fields.
   * `namespace`: a datafile that may be a lean namespace, which no root field lists.
   */
  readonly kind: 'json' | 'ref' | 'object' | 'refOrInline' | 'namespace';
  readonly fields?: readonly Selection[];
  /** Fields that only some types of an interface have. */
  readonly on?: Readonly<Record<string, readonly Selection[]>>;
}

export interface RootQuery {
  readonly root: string;
  readonly schema: string;
  readonly fields: readonly Selection[];
}

const json = (name: string): SelectedField => ({ name, kind: 'json' });
const ref = (name: string): SelectedField => ({ name, kind: 'ref' });
const object = (name: string, fields: readonly Selection[]): SelectedField => ({ name, kind: 'object', fields });

const LABELS = json('labels');
const secret = (name: string) => object(name, ['path', 'field', 'version', 'format']);
const resources = (name: string) =>
  object(name, [object('requests', ['cpu', 'memory']), object('limits', ['cpu', 'memory'])]);
const DISABLE = object('disable', ['integrations']);
const UPGRADE_POLICY = object('upgradePolicy', [
  'schedule',
  'workloads',
  'versionGateApprovals',
  object('conditions', ['soakDays', 'mutexes', 'sector', 'blockedVersions']),
]);

const SPEC = object('spec', [
  'cache',
  'command',
  'disableUnleash',
  'environmentAware',
  'extraArgs',
  object('extraEnv', ['secretName', 'secretKey', 'name', 'value']),
  'imageRef',
  'internalCertificates',
  object('logs', ['cloudwatch', 'slack', 'googleChat', 'slackErrorFilter', 'govSlack']),
  resources('resources'),
  resources('fluentdResources'),
  'sleepDurationSecs',
  'state',
  'storage',
  'storageClassName',
  'trigger',
  'cron',
  'dashdotdb',
  'concurrencyPolicy',
  'restartPolicy',
  'successfulJobHistoryLimit',
  'failedJobHistoryLimit',
  'enablePushgateway',
]);

const OVERRIDES = object('shardSpecOverrides', [
  ref('shard'),
  'imageRef',
  resources('resources'),
  'disabled',
  {
    name: 'subSharding',
    kind: 'object',
    fields: ['strategy'],
    on: { StaticSubSharding_v1: ['shards'] },
  },
]);

/** The strategies with overrides, and their types. */
const SHARDING_TYPES: Readonly<Record<string, string>> = {
  'per-aws-account': 'AWSAccountSharding_v1',
  'per-openshift-cluster': 'OpenshiftClusterSharding_v1',
  'per-ocm-organization': 'OCMOrganizationSharding_v1',
  'per-ocm-environment': 'OCMEnvironmentSharding_v1',
  'per-cloudflare-zone': 'CloudflareDNSZoneSharding_v1',
};

const SHARDING: SelectedField = {
  name: 'sharding',
  kind: 'object',
  fields: ['strategy'],
  on: {
    StaticSharding_v1: ['shards', OVERRIDES],
    ...Object.fromEntries(Object.values(SHARDING_TYPES).map((type) => [type, [OVERRIDES]])),
  },
};

const MANAGED_NAMESPACE: SelectedField = {
  name: 'namespace',
  kind: 'namespace',
  fields: [
    'name',
    LABELS,
    object('cluster', ['name', 'serverUrl', secret('automationToken')]),
    object('environment', ['name', json('parameters')]),
  ],
};

const PR_CHECK = object('pr_check', [
  'cmd',
  'state',
  'sqs',
  'disabled',
  'always_run',
  'no_validate_schemas',
  'run_for_valid_saas_file_changes',
  'early_exit',
  'check_only_affected_shards',
  'run_order',
  'imageRef',
]);

const SAAS_TARGET: SelectedField = {
  name: 'targets',
  kind: 'refOrInline',
  fields: ['name', ref('namespace'), 'ref', json('parameters'), 'disable', 'delete'],
};

/** Everything that the domain readers use. */
export const ROOT_QUERIES: readonly RootQuery[] = [
  {
    root: 'integrations_v1',
    schema: SCHEMA.integration,
    fields: [
      'name',
      'description',
      LABELS,
      'upstream',
      'schemas',
      'capabilities',
      PR_CHECK,
      object('managed', [MANAGED_NAMESPACE, SPEC, SHARDING]),
    ],
  },
  { root: 'products_v1', schema: SCHEMA.product, fields: ['name'] },
  {
    root: 'environments_v1',
    schema: SCHEMA.environment,
    fields: ['name', LABELS, ref('product'), 'servicePhase', json('parameters'), ref('dependsOn')],
  },
  {
    root: 'namespaces_v1',
    schema: SCHEMA.namespace,
    fields: ['name', LABELS, ref('cluster'), ref('environment'), 'delete'],
  },
  {
    root: 'clusters_v1',
    schema: SCHEMA.cluster,
    fields: [
      'name',
      LABELS,
      'serverUrl',
      'consoleUrl',
      'internal',
      'insecureSkipTLSVerify',
      secret('automationToken'),
      secret('clusterAdminAutomationToken'),
      ref('ocm'),
      object('spec', [
        'product',
        'id',
        'external_id',
        'provider',
        'region',
        'channel',
        'version',
        'initial_version',
        'multi_az',
        'private',
        'hypershift',
      ]),
      UPGRADE_POLICY,
      DISABLE,
    ],
  },
  {
    root: 'awsaccounts_v1',
    schema: SCHEMA.account,
    fields: ['name', LABELS, 'uid', 'resourcesDefaultRegion', 'supportedDeploymentRegions', 'partition', DISABLE],
  },
  {
    root: 'ocm_environments_v1',
    schema: SCHEMA.ocmEnvironment,
    fields: ['name', LABELS, 'url', 'accessTokenClientId', 'accessTokenUrl', secret('accessTokenClientSecret')],
  },
  {
    root: 'ocm_instances_v1',
    schema: SCHEMA.organization,
    fields: [
      'name',
      LABELS,
      'orgId',
      'externalOrgId',
      ref('environment'),
      'accessTokenClientId',
      'accessTokenUrl',
      secret('accessTokenClientSecret'),
      'blockedVersions',
      object('sectors', ['name', 'maxParallelUpgrades', object('dependencies', ['name', ref('ocm')])]),
      'upgradePolicyAllowedWorkloads',
      'upgradePolicyAllowedMutexes',
      object('upgradePolicyClusters', ['name', 'serverUrl', object('spec', ['id']), UPGRADE_POLICY]),
      object('ausClusterHealthChecks', ['provider', 'enforced']),
      ref('inheritVersionData'),
      ref('publishVersionData'),
      DISABLE,
    ],
  },
  { root: 'cloudflare_accounts_v1', schema: SCHEMA.cloudflareAccount, fields: ['name'] },
  { root: 'cloudflare_dns_zone_v1', schema: SCHEMA.zone, fields: ['identifier', 'zone', ref('account')] },
  {
    root: 'saas_files_v2',
    schema: SCHEMA.saasFile,
    fields: [
      'name',
      LABELS,
      json('parameters'),
      object('resourceTemplates', ['name', 'url', 'path', 'provider', 'hash_length', json('parameters'), SAAS_TARGET]),
    ],
  },
  {
    root: 'app_interface_settings_v1',
    schema: SCHEMA.settings,
    fields: ['name', 'repoUrl', 'hashLength', 'vault', 'mergeRequestGateway'],
  },
];

/** Queries the types of a server; five levels of wrapping are more than `[T!]!` needs. */
export const INTROSPECTION = `query EchelonTypes { __schema { queryType { name } types { name fields { name type {
  name ofType { name ofType { name ofType { name ofType { name } } } } } } } } }`;

interface TypeRef {
  readonly name?: string | null;
  readonly ofType?: TypeRef | null;
}

interface Introspected {
  readonly __schema: {
    readonly queryType: { readonly name: string };
    readonly types: readonly {
      readonly name: string;
      readonly fields?: readonly { readonly name: string; readonly type: TypeRef }[] | null;
    }[];
  };
}

/** For every type, the type of each of its fields. */
export interface ServerTypes {
  readonly query: string;
  readonly fields: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

export function serverTypes(answer: unknown): ServerTypes {
  const { queryType, types } = (answer as Introspected).__schema;
  return {
    query: queryType.name,
    fields: new Map(
      types.map(({ name, fields }) => [name, new Map((fields ?? []).map((field) => [field.name, bare(field.type)]))]),
    ),
  };
}

function bare(type: TypeRef): string {
  return type.ofType ? bare(type.ofType) : (type.name ?? '');
}

/**
 * The query for one root field, limited to the types of this server; undefined when it has no such root.
 * Older or newer servers, or ones with types of their own, are queried only for what they have.
 */
export function queryText({ root, fields }: RootQuery, types: ServerTypes): string | undefined {
  const type = types.fields.get(types.query)?.get(root);
  if (type === undefined) return undefined;
  return `query Echelon { ${root} { ${['path', 'schema', ...selections(fields, type, types)].join(' ')} } }`;
}

function selections(fields: readonly Selection[], type: string, types: ServerTypes): string[] {
  const known = types.fields.get(type);
  return fields.flatMap((field): string[] => {
    if (typeof field === 'string') return known?.has(field) ? [field] : [];
    const inner = known?.get(field.name);
    return inner === undefined ? [] : selection(field, inner, types);
  });
}

const IDENTITY: Readonly<Record<SelectedField['kind'], readonly string[]>> = {
  json: [],
  object: [],
  ref: ['path'],
  refOrInline: ['path'],
  namespace: ['path', 'schema'],
};

function selection(field: SelectedField, type: string, types: ServerTypes): string[] {
  if (field.kind === 'json') return [field.name];
  const inner = [...selections(IDENTITY[field.kind], type, types), ...selections(field.fields ?? [], type, types)];
  for (const [implementer, fields] of Object.entries(field.on ?? {})) {
    const own = selections(fields, implementer, types);
    if (own.length > 0) inner.push(`... on ${implementer} { ${own.join(' ')} }`);
  }
  return inner.length === 0 ? [] : [`${field.name} { ${inner.join(' ')} }`];
}

/** The strategies whose overrides this server serves without `subSharding`. */
export function undividedStrategies({ fields }: ServerTypes): ReadonlySet<string> {
  const divides = (type: string): boolean => {
    const override = fields.get(type)?.get('shardSpecOverrides');
    return override !== undefined && fields.get(override)?.has('subSharding') === true;
  };
  return new Set(Object.keys(SHARDING_TYPES).filter((strategy) => !divides(SHARDING_TYPES[strategy] ?? '')));
}

const RESOURCE = 'Resource_v1';

/** Lists path and schema of the datafiles that no other query gives; undefined when this server has no root for any. */
export function inventoryText({ query, fields }: ServerTypes): string | undefined {
  const queried = new Set(ROOT_QUERIES.map(({ root }) => root));
  const roots = [...(fields.get(query) ?? [])].flatMap(([root, type]) => {
    const known = fields.get(type);
    const lists = !queried.has(root) && type !== RESOURCE && known?.has('path') && known.has('schema');
    return lists ? [`${root} { path schema }`] : [];
  });
  return roots.length === 0 ? undefined : `query EchelonInventory { ${roots.join(' ')} }`;
}
