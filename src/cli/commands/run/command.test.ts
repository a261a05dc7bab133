import { describe, expect, it } from 'vitest';
import { readPodContract } from '../../../runtime/index.ts';
import { commandVariables, outputEvent } from './command.ts';

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

describe('a line of output', () => {
  it.each([
    { line: 'created ns1', stream: 'stdout', level: 'info', text: 'created ns1' },
    { line: 'created ns1\r', stream: 'stdout', level: 'info', text: 'created ns1' },
    { line: 'sh: 1: nope: not found', stream: 'stderr', level: 'warn', text: 'sh: 1: nope: not found' },
    { line: '[ERROR] no token', stream: 'stdout', level: 'error', text: 'no token' },
    { line: 'ERROR: no token', stream: 'stderr', level: 'error', text: 'no token' },
    { line: 'INFO:root:applied', stream: 'stderr', level: 'info', text: 'root:applied' },
    { line: 'WARNING:x:y', stream: 'stderr', level: 'warn', text: 'x:y' },
    { line: '[CRITICAL] x', stream: 'stdout', level: 'error', text: 'x' },
    { line: 'DEBUG: x', stream: 'stdout', level: 'debug', text: 'x' },
    { line: 'ERRORS: 0', stream: 'stdout', level: 'info', text: 'ERRORS: 0' },
    { line: 'ERROR', stream: 'stdout', level: 'info', text: 'ERROR' },
    { line: '[ERROR]', stream: 'stderr', level: 'warn', text: '[ERROR]' },
    { line: 'URL: http://x', stream: 'stdout', level: 'info', text: 'URL: http://x' },
    { line: '[constructor] x', stream: 'stdout', level: 'info', text: '[constructor] x' },
    { line: '  indented', stream: 'stdout', level: 'info', text: '  indented' },
  ] as const)('$line on $stream is $level', ({ line, stream, level, text }) => {
    expect(outputEvent(line, stream)).toEqual({ level, text });
  });

  it.each(['', '   ', '\r'])('%j without text is none', (line) => {
    expect(outputEvent(line, 'stdout')).toBeUndefined();
  });
});
