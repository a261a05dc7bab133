import { describe, expect, it } from 'vitest';
import { ALL_KINDS } from '../domain/kinds.ts';
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

/** The selection at a path, such as `clusters_v1.spec`. */
function at(path: string): string {
  const [root, ...names] = path.split('.');
  let fields = queries.find((query) => query.root === root)?.fields ?? [];
  for (const name of names.slice(0, -1)) {
    const field = fields.find((one) => typeof one !== 'string' && one.name === name);
    fields = typeof field === 'object' ? (field.fields ?? []) : [];
  }
  return outline(fields.filter((field) => (typeof field === 'string' ? field : field.name) === names.at(-1)));
}

const queries = rootQueries();
const SECRET = '{path field format version}';
const OVERRIDES =
  'shardSpecOverrides{shard:ref imageRef resources{requests{cpu memory} limits{cpu memory}} disabled subSharding{strategy ...StaticSubSharding_v1{shards}}}';

describe('the fields that a qontract-server is asked for', () => {
  it('are of every kind that a server lists', () => {
    const roots = ALL_KINDS.flatMap(({ root }) => root ?? []);
    expect(queries.map(({ root }) => root)).toEqual(roots);
    expect(roots).toHaveLength(12);
  });

  it.each([
    { given: 'a text', path: 'integrations_v1.name', selected: 'name' },
    { given: 'a list of texts', path: 'integrations_v1.schemas', selected: 'schemas' },
    { given: 'a union of scalars', path: 'integrations_v1.managed.spec.resources.limits.cpu', selected: 'cpu' },
    { given: 'a map', path: 'clusters_v1.labels', selected: 'labels:json' },
    { given: 'a map that may be null', path: 'environments_v1.parameters', selected: 'parameters:json' },
    { given: 'a reference', path: 'clusters_v1.ocm', selected: 'ocm:ref' },
    { given: 'a list of references', path: 'ocm_instances_v1.inheritVersionData', selected: 'inheritVersionData:ref' },
    { given: 'an object', path: 'clusters_v1.automationToken', selected: `automationToken${SECRET}` },
    {
      given: 'a list of objects, read one by one',
      path: 'ocm_instances_v1.sectors',
      selected: 'sectors{name maxParallelUpgrades dependencies{name ocm:ref}}',
    },
    {
      given: 'a namespace that may be lean',
      path: 'integrations_v1.managed.namespace',
      selected: `namespace:namespace{name labels:json cluster{name serverUrl automationToken${SECRET}} environment{name parameters:json}}`,
    },
    {
      given: 'an interface',
      path: 'integrations_v1.managed.sharding',
      selected: [
        `sharding{strategy ...StaticSharding_v1{shards membership ${OVERRIDES}}`,
        `...AWSAccountSharding_v1{${OVERRIDES}} ...OpenshiftClusterSharding_v1{${OVERRIDES}}`,
        `...OCMOrganizationSharding_v1{${OVERRIDES}} ...OCMEnvironmentSharding_v1{${OVERRIDES}}`,
        `...CloudflareDNSZoneSharding_v1{${OVERRIDES}}}`,
      ].join(' '),
    },
    {
      given: 'a file that may be inline',
      path: 'saas_files_v2.resourceTemplates.targets',
      selected: 'targets:refOrInline{name namespace:ref ref parameters:json disable delete}',
    },
    { given: 'what is always inline', path: 'clusters_v1.disable', selected: 'disable{integrations}' },
    { given: 'what is always inline', path: 'awsaccounts_v1.disable', selected: 'disable{integrations}' },
    { given: 'what is always a reference', path: 'cloudflare_dns_zone_v1.account', selected: 'account:ref' },
    { given: 'a field that nothing uses', path: 'awsaccounts_v1.consoleUrl', selected: '' },
  ])('for $given: $path', ({ path, selected }) => {
    expect(at(path)).toBe(selected);
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
