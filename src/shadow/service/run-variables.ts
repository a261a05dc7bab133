import { defined, parseImage, shellText } from '../../base/index.ts';
import type { IntegrationSpec } from '../../instance/index.ts';
import type { Shard } from '../../sharding/index.ts';

/** What makes every run a dry run, once. */
export const DRY_RUN_VARIABLES = { DRY_RUN: '--dry-run', MANAGER_DRY_RUN: '--dry-run', RUN_ONCE: 'true' } as const;

/**
 * Switched off, since an empty variable counts as not set: metrics of a shadow would replace those of the shard, its errors
 * would be reported as the shard's, and early exits would hide actions.
 */
export const SWITCHED_OFF = [
  ...['PUSHGATEWAY_ENABLED', 'PUSHGATEWAY_URL', 'SENTRY_DSN', 'SENTRY_EVENT_LEVEL', 'LOG_FILE'],
  ...['EARLY_EXIT_COMPARE_SHA', 'CHECK_ONLY_AFFECTED_SHARDS'],
] as const;

/** The variables that every run gets over those of its pod, its runner or the user. */
export const SHADOW_VARIABLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(SWITCHED_OFF.map((name) => [name, ''])),
  LOG_LEVEL: 'INFO',
  ...DRY_RUN_VARIABLES,
};

interface VariablesOf {
  readonly spec: IntegrationSpec;
  readonly shard: Shard;
  readonly words: readonly string[];
  readonly image: string;
}

/** The variables of a shard's pod that are not secret, and those of a shadow. */
export function runVariables({ spec, shard, words, image }: VariablesOf): Record<string, string> {
  const [name = '', ...args] = words;
  const { repository, tag, digest } = parseImage(image);
  const { id, shards } = shard.part ?? { id: 0, shards: 1 };
  return {
    ...plainEnv(spec),
    ...defined({ COMMAND_NAME: spec.command }),
    INTEGRATION_NAME: name,
    INTEGRATION_EXTRA_ARGS: shellText(args),
    SHARDS: String(shards),
    SHARD_ID: String(id),
    IMAGE: repository,
    ...defined({ IMAGE_TAG: tag, IMAGE_DIGEST: digest }),
    ...SHADOW_VARIABLES,
  };
}

/** Secrets stay in the cluster: a user passes those that a run needs. */
function plainEnv({ extraEnv = [] }: IntegrationSpec): Record<string, string> {
  return Object.fromEntries(
    extraEnv.flatMap(({ name, value }) => (name === undefined || value === undefined ? [] : [[name, value]])),
  );
}
