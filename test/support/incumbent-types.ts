import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { GRAPHQL_SCHEMA } from './shared.ts';

/** The types of a server of that release: current ones no longer have one that its query names. */
export function confsOfRelease(): object {
  const { confs } = load(readFileSync(GRAPHQL_SCHEMA, 'utf8')) as { confs: object[] };
  const field = (name: string, type = 'string', more: object = {}): object => ({ name, type, ...more });
  const required = { isRequired: true };
  const [sharding, override, zone] = ['CloudflareDNSZoneSharding_v1', 'ZoneOverride_v1', 'Zone_v1'];
  const overrides = field('shardSpecOverrides', override, { isList: true });
  return {
    confs: [
      ...confs,
      {
        name: sharding,
        interface: 'IntegrationSharding_v1',
        fields: [field('strategy', 'string', required), overrides],
      },
      {
        name: override,
        fields: [
          ...[field('shard', zone, required), field('imageRef'), field('disabled', 'boolean')],
          field('resources', 'DeployResources_v1'),
        ],
      },
      { name: zone, fields: [field('zone'), field('identifier')] },
    ],
  };
}
