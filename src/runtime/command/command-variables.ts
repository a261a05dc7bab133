import type { PodContract } from '../pod-contract.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The environment of one run: that of the pod, with the contract spelled out. What `echelon run` itself does for the command is
 * left out or switched off: the loop, the log file, the port.
 */
export function commandVariables(env: Variables, contract: PodContract, dryRun: boolean): Variables {
  const { LOG_FILE: _, ...kept } = env;
  return {
    ...kept,
    INTEGRATION_NAME: contract.integration,
    DRY_RUN: dryRun ? '--dry-run' : '--no-dry-run',
    RUN_ONCE: 'true',
    SHARDS: String(contract.shards),
    SHARD_ID: String(contract.shardId),
    SHARD_MEMBERSHIP: contract.shardMembership,
    PROMETHEUS_PORT: '0',
  };
}
