import { didYouMean, EchelonError, shellWords } from '../base/index.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
const LOG_FORMATS = ['json', 'text'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** The settings of a pod from the environment variables of the existing runtime. An empty variable counts as not set. */
export interface PodContract {
  /** INTEGRATION_NAME, or the name from the command line. */
  readonly integration: string;
  /** INTEGRATION_EXTRA_ARGS, split as a shell would. */
  readonly extraArgs: readonly string[];
  /**
   * DRY_RUN, for the integrations manager MANAGER_DRY_RUN: `--dry-run` or `--no-dry-run`. Undefined when not
   * set, which in a pod means that changes are applied, as in the existing runtime.
   */
  readonly dryRun: boolean | undefined;
  /** RUN_ONCE, set to anything: one pass, whose exit code is that of the process. */
  readonly runOnce: boolean;
  /** SLEEP_DURATION_SECS, the time between passes. */
  readonly sleepSeconds: number | undefined;
  /** SLEEP_ON_ERROR, the first wait after a failed pass. */
  readonly sleepOnErrorSeconds: number | undefined;
  /** RUN_TIMEOUT_SECS, how long a pass may take; no limit when not set. */
  readonly timeoutSeconds: number | undefined;
  /** SHARDS, at least 1. */
  readonly shards: number;
  /** SHARD_ID, below SHARDS. */
  readonly shardId: number;
  /** SHARD_KEY, used only as a metric label. */
  readonly shardKey: string | undefined;
  /** SHARD_MEMBERSHIP, how keys are assigned to shards. */
  readonly shardMembership: 'md5' | 'rendezvous';
  /** ENVIRONMENT_NAME, the only environment to act on; all of them when not set. */
  readonly environment: string | undefined;
  /** PROMETHEUS_PORT; 0 picks a free one. */
  readonly prometheusPort: number;
  /** METRICS_HOST, the address to listen on; all of them when not set. */
  readonly metricsHost: string | undefined;
  /** LOG_LEVEL, case-insensitive; Python's level names are accepted too. */
  readonly logLevel: LogLevel;
  /** LOG_FORMAT: JSON lines or plain text. */
  readonly logFormat: LogFormat;
  /** LOG_FILE, a second destination for messages. */
  readonly logFile: string | undefined;
  /** PREFIX_LOG_LEVEL, exactly `true`: messages in that file begin with their level. */
  readonly prefixLogLevel: boolean;
  /** CONFIG, the path of the configuration; see `podConfig` for its default. */
  readonly config: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

export const MANAGER_NAME = 'integrations-manager';
const DEFAULT_PORT = 9090;
const MOST_SHARDS = 10_000;
const LONGEST_SLEEP_SECONDS = 7 * 24 * 60 * 60;
const SHORTEST_SLEEP_SECONDS = 0.1;
const LEVEL_ALIASES: Readonly<Record<string, LogLevel>> = {
  ...(Object.fromEntries(LOG_LEVELS.map((level) => [level, level])) as Record<LogLevel, LogLevel>),
  warning: 'warn',
  critical: 'fatal',
};

/**
 * Reads the variables of a pod; throws an EchelonError for the first invalid one.
 *
 * @param name of the integration when the command line gives it, which wins over INTEGRATION_NAME.
 */
export function readPodContract(env: Environment, name?: string): PodContract {
  const integration = name ?? given(env, 'INTEGRATION_NAME');
  if (integration === undefined) throw noIntegration();
  const shards = wholeNumber(env, 'SHARDS', { from: 1, to: MOST_SHARDS }) ?? 1;
  return {
    integration,
    extraArgs: shellWords(env['INTEGRATION_EXTRA_ARGS'] ?? '', 'INTEGRATION_EXTRA_ARGS'),
    dryRun: dryRunFlag(env, integration === MANAGER_NAME ? 'MANAGER_DRY_RUN' : 'DRY_RUN'),
    runOnce: given(env, 'RUN_ONCE') !== undefined,
    sleepSeconds: seconds(env, 'SLEEP_DURATION_SECS'),
    sleepOnErrorSeconds: seconds(env, 'SLEEP_ON_ERROR'),
    timeoutSeconds: seconds(env, 'RUN_TIMEOUT_SECS'),
    shards,
    shardId: wholeNumber(env, 'SHARD_ID', { from: 0, to: shards - 1 }) ?? 0,
    shardKey: given(env, 'SHARD_KEY'),
    shardMembership: choice(env, 'SHARD_MEMBERSHIP', { md5: 'md5', rendezvous: 'rendezvous' }) ?? 'md5',
    environment: given(env, 'ENVIRONMENT_NAME'),
    prometheusPort: wholeNumber(env, 'PROMETHEUS_PORT', { from: 0, to: 65_535 }) ?? DEFAULT_PORT,
    metricsHost: given(env, 'METRICS_HOST'),
    logLevel: choice(env, 'LOG_LEVEL', LEVEL_ALIASES) ?? 'info',
    logFormat: choice(env, 'LOG_FORMAT', { json: 'json', text: 'text' }) ?? 'json',
    logFile: given(env, 'LOG_FILE'),
    prefixLogLevel: env['PREFIX_LOG_LEVEL'] === 'true',
    config: given(env, 'CONFIG'),
  };
}

/** The configuration file in pods of existing fleets. */
const CONFIG_OF_PODS = '/config/config.toml';

/** The configuration of a pod. The default applies where that file exists, and no variable of Echelon names another. */
export function podConfig(
  env: Environment,
  { config }: Pick<PodContract, 'config'>,
  exists: (file: string) => boolean,
): string | undefined {
  const isNamed = config ?? given(env, 'ECHELON_CONFIG') ?? given(env, 'QONTRACT_CONFIG');
  return isNamed === undefined && exists(CONFIG_OF_PODS) ? CONFIG_OF_PODS : config;
}

function given(env: Environment, variable: string): string | undefined {
  const value = env[variable];
  return value === '' ? undefined : value;
}

function dryRunFlag(env: Environment, variable: string): boolean | undefined {
  const value = given(env, variable);
  if (value === undefined) return undefined;
  if (value === '--dry-run') return true;
  if (value === '--no-dry-run') return false;
  throw bad(variable, value, 'set it to --dry-run or --no-dry-run, or unset it');
}

function wholeNumber(
  env: Environment,
  variable: string,
  { from, to }: { readonly from: number; readonly to: number },
): number | undefined {
  const value = given(env, variable)?.trim();
  if (value === undefined) return undefined;
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= from && number <= to) return number;
  throw bad(variable, value, from === to ? `set it to ${from}` : `set it to a whole number from ${from} to ${to}`);
}

function seconds(env: Environment, variable: string): number | undefined {
  const value = given(env, variable)?.trim();
  if (value === undefined) return undefined;
  const number = Number(value);
  const inRange = number >= SHORTEST_SLEEP_SECONDS && number <= LONGEST_SLEEP_SECONDS;
  if (/^\d+(?:\.\d+)?$/.test(value) && inRange) return number;
  throw bad(
    variable,
    value,
    `set it to a number of seconds from ${SHORTEST_SLEEP_SECONDS} to ${LONGEST_SLEEP_SECONDS}, without a unit`,
  );
}

function choice<T>(env: Environment, variable: string, meanings: Readonly<Record<string, T>>): T | undefined {
  const value = given(env, variable);
  if (value === undefined) return undefined;
  const name = value.toLowerCase();
  const meaning = Object.hasOwn(meanings, name) ? meanings[name] : undefined;
  if (meaning !== undefined) return meaning;
  const names = Object.keys(meanings);
  throw bad(variable, value, didYouMean(name, names, `set it to one of: ${names.join(', ')}`));
}

/** Values are shown truncated: none of these should hold a secret, but one may by mistake. */
const SHOWN = 40;

function bad(variable: string, value: string, hint: string): EchelonError {
  const shown = value.length > SHOWN ? `${value.slice(0, SHOWN)}…` : value;
  return new EchelonError({
    code: 'POD_CONTRACT_INVALID',
    message: `invalid environment variable ${variable}: ${JSON.stringify(shown)}`,
    hint,
  });
}

function noIntegration(): EchelonError {
  return new EchelonError({
    code: 'POD_CONTRACT_INVALID',
    message: 'no integration given, neither as an argument nor in the environment variable INTEGRATION_NAME',
    hint: 'pass its name: echelon run INTEGRATION',
  });
}
