import type { Finding, Instance } from '../instance/index.ts';
import type { Capabilities } from './capabilities.ts';
import { expandShards } from './expand-shards.ts';

/** Known only because another file has errors; those are reported where they are. */
const CONSEQUENCE = 'override-unreadable-shard';

/** What is wrong with the sharding of an instance: strategies, overrides, flags. */
export function checkShards(instance: Instance, capabilities?: Capabilities): Finding[] {
  return instance.integrations
    .flatMap((integration) =>
      integration.managed.flatMap((entry) => expandShards(instance, integration, entry, capabilities).findings),
    )
    .filter(({ rule }) => rule !== CONSEQUENCE);
}
