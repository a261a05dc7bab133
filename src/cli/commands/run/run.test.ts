import { describe, expect, it } from 'vitest';
import { podArguments } from './run.ts';

describe('the command line of a pod', () => {
  it.each([
    { given: 'a name', env: { INTEGRATION_NAME: 'integrations-manager' }, is: ['integrations-manager'] },
    {
      given: 'a name and arguments',
      env: { INTEGRATION_NAME: 'x', INTEGRATION_EXTRA_ARGS: `--a  b --c='d e' "f"` },
      is: ['x', '--a', 'b', '--c=d e', 'f'],
    },
    { given: 'no arguments', env: { INTEGRATION_NAME: 'x', INTEGRATION_EXTRA_ARGS: '' }, is: ['x'] },
  ])('is $given', ({ env, is }) => {
    expect(podArguments(env)).toEqual(is);
  });

  it.each([
    { given: 'no name', env: {}, names: 'INTEGRATION_NAME' },
    {
      given: 'a quote that is not closed',
      env: { INTEGRATION_NAME: 'x', INTEGRATION_EXTRA_ARGS: `'a` },
      names: 'INTEGRATION_EXTRA_ARGS',
    },
  ])('is none with $given', ({ env, names }) => {
    expect(() => podArguments(env)).toThrow(names);
  });
});
