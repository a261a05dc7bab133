import { describe, expect, it } from 'vitest';
import { queryText, rootQueries, type Selection } from './server-queries.ts';

/** A selection in one line: `labels:json`, `ocm:ref`, `spec{id}`, `sharding{strategy ...StaticSharding_v1{shards}}`. */
function outline(fields: readonly Selection[]): string {
  return fields
    .map((field) => {
      if (typeof field === 'string') return field;
      const { name, kind, fields: inner, on = {} } = field;
      const parts = Object.entries(on).map(([type, own]) => ` ...${type}{${outline(own)}}`);
      const content = inner === undefined ? '' : `{${outline(inner)}${parts.join('')}}`;
      return `${name}${kind === 'object' ? '' : `:${kind}`}${content}`;
    })
    .join(' ');
}

const SECRET = '{path field format version}';
const RESOURCES = '{requests{cpu memory} limits{cpu memory}}';
const POLICY =
  'upgradePolicy{schedule workloads versionGateApprovals conditions{soakDays mutexes sector blockedVersions}}';
const OVERRIDES = `shardSpecOverrides{shard:ref imageRef resources${RESOURCES} disabled subSharding{strategy ...StaticSubSharding_v1{shards}}}`;

const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  ocm_environments_v1: ['name labels:json url', `accessTokenClientId accessTokenUrl accessTokenClientSecret${SECRET}`],
  ocm_instances_v1: [
    'name labels:json orgId externalOrgId environment:ref',
    `accessTokenClientId accessTokenUrl accessTokenClientSecret${SECRET}`,
    'blockedVersions sectors{name maxParallelUpgrades dependencies{name ocm:ref}}',
    'upgradePolicyAllowedWorkloads upgradePolicyAllowedMutexes',
    `upgradePolicyClusters{name serverUrl spec{id} ${POLICY}}`,
    'ausClusterHealthChecks{provider enforced} inheritVersionData:ref publishVersionData:ref disable{integrations}',
  ],
  products_v1: ['name'],
  environments_v1: ['name labels:json product:ref servicePhase parameters:json dependsOn:ref'],
  clusters_v1: [
    'name labels:json serverUrl consoleUrl internal insecureSkipTLSVerify',
    `automationToken${SECRET} clusterAdminAutomationToken${SECRET} ocm:ref`,
    'spec{product id external_id provider region channel version initial_version multi_az private hypershift}',
    `${POLICY} disable{integrations}`,
  ],
  namespaces_v1: ['name labels:json cluster:ref environment:ref delete'],
  app_interface_settings_v1: ['name repoUrl hashLength vault mergeRequestGateway'],
  integrations_v1: [
    'name description labels:json upstream schemas capabilities',
    'pr_check{cmd state sqs disabled always_run no_validate_schemas run_for_valid_saas_file_changes early_exit',
    'check_only_affected_shards run_order imageRef}',
    `managed{namespace:namespace{name labels:json cluster{name serverUrl automationToken${SECRET}}`,
    'environment{name parameters:json}}',
    'spec{cache command disableUnleash environmentAware extraArgs extraEnv{secretName secretKey name value} imageRef',
    'internalCertificates logs{cloudwatch slack googleChat slackErrorFilter govSlack}',
    `resources${RESOURCES} fluentdResources${RESOURCES}`,
    'sleepDurationSecs state storage storageClassName trigger cron dashdotdb concurrencyPolicy restartPolicy',
    'successfulJobHistoryLimit failedJobHistoryLimit enablePushgateway}',
    `sharding{strategy ...StaticSharding_v1{shards membership ${OVERRIDES}}`,
    `...AWSAccountSharding_v1{${OVERRIDES}} ...OpenshiftClusterSharding_v1{${OVERRIDES}}`,
    `...OCMOrganizationSharding_v1{${OVERRIDES}} ...OCMEnvironmentSharding_v1{${OVERRIDES}}`,
    `...CloudflareDNSZoneSharding_v1{${OVERRIDES}}}}`,
  ],
  awsaccounts_v1: [
    'name labels:json uid resourcesDefaultRegion supportedDeploymentRegions partition disable{integrations}',
  ],
  cloudflare_accounts_v1: ['name'],
  cloudflare_dns_zone_v1: ['identifier zone account:ref'],
  saas_files_v2: [
    'name labels:json parameters:json resourceTemplates{name url path provider hash_length parameters:json',
    'targets:refOrInline{name namespace:ref ref parameters:json disable delete}}',
  ],
};

describe('the fields that a qontract-server is asked for', () => {
  const queries = rootQueries();

  it('are those of all kinds that a server lists', () => {
    expect(queries.map(({ root }) => root).sort()).toEqual(Object.keys(EXPECTED).sort());
  });

  it.each(queries)('of $root', ({ root, fields }) => {
    expect(outline(fields)).toBe(EXPECTED[root]?.join(' '));
  });

  it.each([
    { given: 'with', fields: ['shards', 'membership'], on: '... on StaticSharding_v1 { shards membership }' },
    { given: 'without', fields: ['shards'], on: '... on StaticSharding_v1 { shards }' },
  ])('$given membership as the types of the server are', ({ fields, on }) => {
    const types = {
      query: 'Query',
      fields: new Map([
        ['Query', new Map([['integrations_v1', 'Integration_v1']])],
        ['Integration_v1', new Map([['managed', 'Managed_v1']])],
        ['Managed_v1', new Map([['sharding', 'Sharding_v1']])],
        ['Sharding_v1', new Map([['strategy', 'String']])],
        ['StaticSharding_v1', new Map(fields.map((name) => [name, 'String']))],
      ]),
    };
    const [text] = queries.filter(({ root }) => root === 'integrations_v1').map((query) => queryText(query, types));
    expect(text).toBe(`query Echelon { integrations_v1 { path schema managed { sharding { strategy ${on} } } } }`);
  });
});
