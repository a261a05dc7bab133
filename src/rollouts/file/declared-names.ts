import { defined } from '../../base/index.ts';
import { environmentNames, type Instance, type Integration, type Managed } from '../../instance/index.ts';
import { expandShards, parentOf } from '../../sharding/index.ts';
import { MANAGER_INTEGRATION, shardIds } from '../facts.ts';
import type { DeclaredNames, DeclaredScope } from './check-rollouts.ts';

/** The tag that an entry's unpinned shards are declared to run, with its digest if it has one; undefined if unknown. */
export type DeclaredVersion = (instance: Instance, integration: Integration, entry: Managed) => string | undefined;

/** What an instance has for tracks, waves and freezes to name. Pure. */
export function declaredNames(instance: Instance, versionOf: DeclaredVersion): DeclaredNames {
  const entries = instance.integrations
    .filter(({ name }) => name !== MANAGER_INTEGRATION)
    .flatMap((integration) => integration.managed.map((entry) => ({ integration, entry })));
  const scopes = Map.groupBy(entries, ({ integration, entry }) =>
    JSON.stringify([entry.namespace.environment.name, integration.upstream ?? '']),
  );
  return {
    environments: [...environmentNames(instance)],
    integrations: instance.integrations.map(({ name }) => name),
    scopes: [...scopes.values()].flatMap((members) => scopeOf(instance, members, versionOf)),
  };
}

type Member = Readonly<{ integration: Integration; entry: Managed }>;

function scopeOf(instance: Instance, members: readonly Member[], versionOf: DeclaredVersion): DeclaredScope[] {
  const [first] = members;
  if (first === undefined) return [];
  const unpinned = members.find(({ entry }) => entry.spec.imageRef === undefined);
  const version = unpinned && versionOf(instance, unpinned.integration, unpinned.entry);
  const shards = members.flatMap(({ integration, entry }) =>
    expandShards(instance, integration, entry).shards.map((shard) => ({
      ...{ integration: integration.name, shard: shard.name },
      ...defined({ parent: parentOf(shard) }),
      ...{ cluster: entry.namespace.cluster.name, namespace: entry.namespace.name },
    })),
  );
  const { name: environment } = first.entry.namespace.environment;
  const { upstream = '' } = first.integration;
  return [{ environment, upstream, shards: shardIds(shards), ...defined({ version }) }];
}
