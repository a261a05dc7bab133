import type { Finding, Instance, Integration, Managed } from '../instance/index.ts';
import { type Capabilities, DIVIDES, repeatsWork, withOwn } from './capabilities.ts';

/** Whether a finding only follows from errors in another file, which are reported there. */
export function isConsequence(rule: string): boolean {
  return rule === 'override-unreadable-shard';
}

/** Static shards that would all do the same work. Existing managers accept them in silence, so this is for validation only. */
export function undividedShards({ integrations }: Instance, capabilities: Capabilities = new Map()): Finding[] {
  return integrations
    .filter((integration) => repeatsWork(integration, withOwn(capabilities, integration)))
    .flatMap((integration) =>
      integration.managed
        .filter(({ sharding }) => sharding.strategy === 'static' && (sharding.shards ?? 1) > 1)
        .map((entry) => undivided(integration, entry)),
    );
}

function undivided({ name, file }: Integration, { keys, sharding }: Managed): Finding {
  return {
    rule: 'static-sharding-undivided',
    severity: 'warning',
    path: file,
    keys: [...keys, 'sharding', 'shards'],
    message: `${name} does not divide its work by ${DIVIDES}: all ${sharding.shards} shards would do the same work`,
    hint: `use one shard, or, if it reads SHARDS and SHARD_ID, add '${DIVIDES}' to its capabilities or to a --capabilities file`,
  };
}
