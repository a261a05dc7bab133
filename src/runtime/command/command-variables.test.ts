import { expect, it } from 'vitest';
import { readPodContract } from '../pod-contract.ts';
import { commandVariables } from './command-variables.ts';

const variables = (env: Record<string, string>, dryRun = false) =>
  commandVariables(env, readPodContract(env, 'labels'), dryRun);

const WHOLE = {
  ...{ INTEGRATION_NAME: 'labels', DRY_RUN: '--no-dry-run', RUN_ONCE: 'true', PROMETHEUS_PORT: '0' },
  ...{ SHARDS: '1', SHARD_ID: '0', SHARD_MEMBERSHIP: 'md5' },
};

it.each([
  { given: 'nothing', env: {}, is: WHOLE },
  { given: 'other variables', env: { PATH: '/bin', X: '' }, is: { ...WHOLE, PATH: '/bin', X: '' } },
  {
    given: 'a shard',
    env: { SHARDS: '3', SHARD_ID: '2', SHARD_MEMBERSHIP: 'rendezvous', SHARD_KEY: 'east' },
    is: { ...WHOLE, SHARDS: '3', SHARD_ID: '2', SHARD_MEMBERSHIP: 'rendezvous', SHARD_KEY: 'east' },
  },
  {
    given: 'empty variables of the contract',
    env: { SHARDS: '', SHARD_ID: '', DRY_RUN: '', INTEGRATION_NAME: '' },
    is: WHOLE,
  },
  { given: 'a log file and a port', env: { LOG_FILE: '/x', PROMETHEUS_PORT: '9090' }, is: WHOLE },
])('of a pod with $given a command gets the whole contract', ({ env, is }) => {
  expect(variables(env)).toEqual(is);
});

it('a flag wins over the variable for a dry run', () => {
  expect(variables({ DRY_RUN: '--no-dry-run' }, true)).toMatchObject({ DRY_RUN: '--dry-run' });
  expect(variables({ DRY_RUN: '--dry-run' }, false)).toMatchObject({ DRY_RUN: '--no-dry-run' });
});
