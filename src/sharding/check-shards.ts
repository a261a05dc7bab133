import type { Finding, Instance } from '../instance/index.ts';
import type { Capabilities } from './capabilities.ts';
import { expandShards } from './expand-shards.ts';

/** Whether a finding is known only because another file has errors; those are reported where they are. */
export function isConsequence(rule: string): boolean {
  return rule === 'override-unreadable-shard';
}

/** What is wrong with the sharding of an instance: strategies, overrides, flags. */
export function checkShards(instance: Instance, capabilities?: Capabilities): Finding[] {
  return instance.integrations
    .flatMap((integration) =>
      integration.managed.flatMap((entry) => expandShards(instance, integration, entry, capabilities).findings),
    )
    .filter(({ rule }) => !isConsequence(rule));
}
