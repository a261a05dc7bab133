import type { Finding, Instance } from '../instance/index.ts';
import type { Capabilities } from './capabilities.ts';
import { expandShards } from './expand-shards.ts';

/** Whether a finding only follows from errors in another file, which are reported there. */
export function isConsequence(rule: string): boolean {
  return rule === 'override-unreadable-shard';
}

/** Problems in the sharding of an instance: strategies, overrides, flags. */
export function checkShards(instance: Instance, capabilities?: Capabilities): Finding[] {
  return instance.integrations
    .flatMap((integration) =>
      integration.managed.flatMap((entry) => expandShards(instance, integration, entry, capabilities).findings),
    )
    .filter(({ rule }) => !isConsequence(rule));
}
