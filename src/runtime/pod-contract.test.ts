import { describe, expect, it } from 'vitest';
import { MANAGER_NAME, type PodContract, podConfig, readPodContract } from './pod-contract.ts';

const read = (env: Record<string, string>): PodContract => readPodContract({ INTEGRATION_NAME: 'x', ...env });

describe('the environment of a pod', () => {
  it('has defaults for all but the name', () => {
    const bare = readPodContract({ INTEGRATION_NAME: 'x' });
    expect(bare).toEqual({
      integration: 'x',
      extraArgs: [],
      dryRun: undefined,
      runOnce: false,
      sleepSeconds: undefined,
      sleepOnErrorSeconds: undefined,
      shards: 1,
      shardId: 0,
      shardKey: undefined,
      shardMembership: 'md5',
      environment: undefined,
      prometheusPort: 9090,
      logLevel: 'info',
      logFormat: 'json',
      logFile: undefined,
      prefixLogLevel: false,
      config: undefined,
    });
  });

  it('counts an empty variable as one not set', () => {
    const variables = [
      ...['INTEGRATION_EXTRA_ARGS', 'DRY_RUN', 'RUN_ONCE', 'SLEEP_DURATION_SECS', 'SLEEP_ON_ERROR', 'SHARDS'],
      ...['SHARD_ID', 'SHARD_KEY', 'SHARD_MEMBERSHIP', 'ENVIRONMENT_NAME', 'PROMETHEUS_PORT', 'LOG_LEVEL'],
      ...['LOG_FORMAT', 'LOG_FILE', 'PREFIX_LOG_LEVEL', 'CONFIG'],
    ];
    expect(read(Object.fromEntries(variables.map((name) => [name, ''])))).toEqual(read({}));
  });

  it.each([
    { env: { INTEGRATION_EXTRA_ARGS: '--a "b c"' }, is: { extraArgs: ['--a', 'b c'] } },
    { env: { DRY_RUN: '--dry-run' }, is: { dryRun: true } },
    { env: { DRY_RUN: '--no-dry-run' }, is: { dryRun: false } },
    { env: { MANAGER_DRY_RUN: '--dry-run' }, is: { dryRun: undefined } },
    { env: { RUN_ONCE: 'false' }, is: { runOnce: true } },
    { env: { RUN_TIMEOUT_SECS: '90' }, is: { timeoutSeconds: 90 } },
    { env: { SLEEP_DURATION_SECS: '300', SLEEP_ON_ERROR: '0.5' }, is: { sleepSeconds: 300, sleepOnErrorSeconds: 0.5 } },
    { env: { SHARDS: '3', SHARD_ID: '2', SHARD_KEY: 'acc' }, is: { shards: 3, shardId: 2, shardKey: 'acc' } },
    { env: { SHARD_MEMBERSHIP: 'rendezvous' }, is: { shardMembership: 'rendezvous' } },
    { env: { ENVIRONMENT_NAME: 'stage' }, is: { environment: 'stage' } },
    { env: { PROMETHEUS_PORT: '0' }, is: { prometheusPort: 0 } },
    { env: { METRICS_HOST: '127.0.0.1' }, is: { metricsHost: '127.0.0.1' } },
    { env: { LOG_LEVEL: 'WARNING' }, is: { logLevel: 'warn' } },
    { env: { LOG_LEVEL: 'Critical' }, is: { logLevel: 'fatal' } },
    { env: { LOG_LEVEL: 'debug', LOG_FORMAT: 'text' }, is: { logLevel: 'debug', logFormat: 'text' } },
    { env: { LOG_FILE: '/l', PREFIX_LOG_LEVEL: 'true' }, is: { logFile: '/l', prefixLogLevel: true } },
    { env: { PREFIX_LOG_LEVEL: 'yes' }, is: { prefixLogLevel: false } },
    { env: { CONFIG: '/config/config.toml' }, is: { config: '/config/config.toml' } },
  ])('with $env is $is', ({ env, is }) => {
    expect(read(env)).toEqual({ ...read({}), ...is });
  });

  it.each([
    { env: { MANAGER_DRY_RUN: '--dry-run', DRY_RUN: '--no-dry-run' }, dryRun: true },
    { env: { MANAGER_DRY_RUN: '--no-dry-run', DRY_RUN: '--dry-run' }, dryRun: false },
    { env: { DRY_RUN: '--dry-run' }, dryRun: undefined },
    { env: { DRY_RUN: 'what it hands on to others' }, dryRun: undefined },
  ])('has a dry-run of its own for the manager: $env', ({ env, dryRun }) => {
    expect(read({ ...env, INTEGRATION_NAME: MANAGER_NAME }).dryRun).toBe(dryRun);
  });

  it('lets the command line name the integration, and with it the dry-run variable', () => {
    const env = { INTEGRATION_NAME: 'x', MANAGER_DRY_RUN: '--dry-run' };
    expect(readPodContract(env, MANAGER_NAME)).toMatchObject({ integration: MANAGER_NAME, dryRun: true });
  });

  it('needs a name', () => {
    expect(() => readPodContract({ INTEGRATION_NAME: '' })).toThrow('INTEGRATION_NAME');
  });

  it.each([
    [{ DRY_RUN: 'true' }, 'DRY_RUN', 'set it to --dry-run or --no-dry-run, or unset it'],
    [{ DRY_RUN: ' --dry-run' }, 'DRY_RUN', 'set it to --dry-run or --no-dry-run, or unset it'],
    [{ SLEEP_DURATION_SECS: '10m' }, 'SLEEP_DURATION_SECS', 'without a unit'],
    [{ SLEEP_DURATION_SECS: '0' }, 'SLEEP_DURATION_SECS', 'from 0.1 to 604800'],
    [{ RUN_TIMEOUT_SECS: '10m' }, 'RUN_TIMEOUT_SECS', 'without a unit'],
    [{ SLEEP_ON_ERROR: '-1' }, 'SLEEP_ON_ERROR', 'from 0.1 to 604800'],
    [{ SLEEP_ON_ERROR: '1e9' }, 'SLEEP_ON_ERROR', 'from 0.1 to 604800'],
    [{ SHARDS: '0' }, 'SHARDS', 'from 1 to 10000'],
    [{ SHARDS: '1.5' }, 'SHARDS', 'from 1 to 10000'],
    [{ SHARD_ID: '1' }, 'SHARD_ID', 'set it to 0'],
    [{ SHARDS: '3', SHARD_ID: '3' }, 'SHARD_ID', 'from 0 to 2'],
    [{ PROMETHEUS_PORT: '65536' }, 'PROMETHEUS_PORT', 'from 0 to 65535'],
    [{ PROMETHEUS_PORT: 'http' }, 'PROMETHEUS_PORT', 'from 0 to 65535'],
    [{ LOG_LEVEL: 'debgu' }, 'LOG_LEVEL', 'did you mean debug?'],
    [{ LOG_LEVEL: 'constructor' }, 'LOG_LEVEL', 'set it to one of: debug, info, warn, error, fatal, warning, critical'],
    [{ LOG_FORMAT: 'xml' }, 'LOG_FORMAT', 'set it to one of: json, text'],
    [{ SHARD_MEMBERSHIP: 'random' }, 'SHARD_MEMBERSHIP', 'set it to one of: md5, rendezvous'],
  ])('%j is an error that says what to do', (env, variable, hint) => {
    expect(() => read(env)).toThrow(
      expect.objectContaining({
        code: 'POD_CONTRACT_INVALID',
        message: expect.stringContaining(`variable ${variable}: `),
        hint: expect.stringContaining(hint),
      }),
    );
  });

  it('names the variable whose quote is not closed', () => {
    expect(() => read({ INTEGRATION_EXTRA_ARGS: '--token "abc' })).toThrow(
      expect.objectContaining({ message: 'INTEGRATION_EXTRA_ARGS has a " at character 9 that is not closed' }),
    );
  });
});

describe('the configuration of a pod', () => {
  const MOUNTED = '/config/config.toml';
  it.each([
    { given: 'nothing', env: {}, exists: false, is: undefined },
    { given: 'the mounted file', env: {}, exists: true, is: MOUNTED },
    { given: 'CONFIG', env: { CONFIG: '/c.toml' }, exists: true, is: '/c.toml' },
    { given: 'an empty CONFIG and the mounted file', env: { CONFIG: '' }, exists: true, is: MOUNTED },
    { given: 'the mounted file and ECHELON_CONFIG', env: { ECHELON_CONFIG: '/e.toml' }, exists: true, is: undefined },
    { given: 'the mounted file and QONTRACT_CONFIG', env: { QONTRACT_CONFIG: '/q.toml' }, exists: true, is: undefined },
    { given: 'the mounted file and an empty variable', env: { ECHELON_CONFIG: '' }, exists: true, is: MOUNTED },
  ])('with $given is $is', ({ env, exists, is }) => {
    expect(podConfig(env, read(env), (file) => exists && file === MOUNTED)).toBe(is);
  });
});
