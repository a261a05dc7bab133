import { describe, expect, it } from 'vitest';
import { passedVariables, runEnvironment } from './local-run.ts';

describe('the environment of a local run', () => {
  it.each([
    ...['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'PYTHONUNBUFFERED', 'VIRTUAL_ENV'],
    ...['HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE'],
  ])('has %s of the caller', (name) => {
    expect(runEnvironment({ [name]: 'x' }, {}, {})).toEqual({ [name]: 'x' });
  });

  it.each([
    ...['GITHUB_TOKEN', 'GITLAB_TOKEN', 'CI_JOB_TOKEN', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'VAULT_TOKEN'],
    ...['OCM_TOKEN', 'KUBECONFIG', 'SSH_AUTH_SOCK', 'DOCKER_HOST', 'NODE_OPTIONS', 'LD_PRELOAD', 'PYTHONPATH'],
    ...['LC_', 'LC_X_TOKEN', 'XLC_ALL', 'PATH_TOKEN', 'path', 'Path', 'PATH ', '', 'constructor', '__proto__'],
  ])('has no %j of the caller', (name) => {
    expect(runEnvironment(Object.fromEntries([[name, 'x']]), {}, {})).toEqual({});
  });

  it.each([
    { given: 'passed', passed: { A: 'flag', PATH: 'flag' }, ofCheck: {}, is: { A: 'flag', PATH: 'flag' } },
    { given: 'set by the check', passed: { A: 'flag' }, ofCheck: { A: 'check' }, is: { A: 'check', PATH: 'caller' } },
    { given: 'passed empty', passed: { PATH: '' }, ofCheck: {}, is: { PATH: '' } },
  ])('has a variable as $given', ({ passed, ofCheck, is }) => {
    expect(runEnvironment({ A: 'caller', PATH: 'caller' }, { ...passed }, { ...ofCheck })).toEqual(is);
  });
});

describe('--env', () => {
  it.each([
    { flags: [], are: {} },
    { flags: ['A'], are: { A: 'caller' } },
    { flags: ['EMPTY'], are: { EMPTY: '' } },
    { flags: ['A=', 'B=x=y z'], are: { A: '', B: 'x=y z' } },
    { flags: ['A=1', 'A'], are: { A: 'caller' } },
    { flags: ['A', 'A=1'], are: { A: '1' } },
  ])('$flags gives $are', ({ flags, are }) => {
    expect(passedVariables(flags, { A: 'caller', EMPTY: '' })).toEqual(are);
  });

  it.each([
    { flag: 'UNSET', says: '--env UNSET: the variable is not set' },
    { flag: 'constructor', says: '--env constructor: the variable is not set' },
    { flag: '', says: '--env "" is not a valid variable name' },
    { flag: '=secret', says: '--env "" is not a valid variable name' },
    { flag: 'AWS_*', says: '--env "AWS_*" is not a valid variable name' },
    { flag: '1A=x', says: '--env "1A" is not a valid variable name' },
    { flag: 'A\nB=x', says: '--env "A\\nB" is not a valid variable name' },
  ])('$flag is refused', ({ flag, says }) => {
    expect(() => passedVariables([flag], {})).toThrow(expect.objectContaining({ code: 'FLAG_INVALID', message: says }));
  });
});
