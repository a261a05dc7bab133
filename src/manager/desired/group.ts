import type { Integration, Managed, Namespace } from '../../instance/index.ts';
import type { Shard } from '../../sharding/index.ts';

/** A managed entry of an integration with its shards. */
export interface ManagedShards {
  readonly integration: Integration;
  readonly entry: Managed;
  readonly shards: readonly Shard[];
  /** What is declared of the integration; absent where only the built-in knowledge counts. */
  readonly capabilities?: readonly string[];
}

/** Everything that runs in one namespace. */
export interface NamespaceGroup {
  readonly namespace: Namespace;
  readonly entries: readonly ManagedShards[];
}

/** Two files for the same namespace and cluster are one target: their workloads share it. */
export function targetOf({ cluster, name }: Namespace): string {
  return `${cluster.name}/${name}`;
}
