import { describe, expect, it } from 'vitest';
import type { Finding } from '../problem.ts';
import { withoutEchoes } from './echoes.ts';

const found = (rule: string, keys: Finding['keys'], more: Partial<Finding> = {}): Finding => ({
  rule,
  severity: 'error',
  path: '/a.yml',
  keys,
  message: `${rule} says`,
  hint: 'do something',
  ...more,
});

const kept = (...findings: readonly Finding[]) =>
  withoutEchoes(findings).map(({ rule, severity, keys }) => `${severity} ${rule} at ${keys.join('.')}`);

describe('of several findings', () => {
  it.each([
    {
      given: 'of one rule at one place the first is kept',
      findings: [found('ref-dangling', ['x']), found('ref-dangling', ['x'])],
      left: ['error ref-dangling at x'],
    },
    {
      given: 'of two rules at one place both are kept',
      findings: [found('wrong-type', ['x']), found('duplicate-name', ['x'])],
      left: ['error wrong-type at x', 'error duplicate-name at x'],
    },
    {
      given: 'a schema says nothing at a place that was told of',
      findings: [found('wrong-type', ['x']), found('json-schema', ['x'])],
      left: ['error wrong-type at x'],
    },
    {
      given: 'a schema makes an error of a warning',
      findings: [found('unknown-field', ['x'], { severity: 'warning' }), found('json-schema', ['x'])],
      left: ['error unknown-field at x'],
    },
    {
      given: 'a field that a schema misses is the field that was told of',
      findings: [found('missing-field', ['x', 'y']), found('json-schema', ['x'], { message: 'y is missing' })],
      left: ['error missing-field at x.y'],
    },
    {
      given: 'a schema does not take apart a value of a wrong form',
      findings: [found('bad-extra-env', ['x', 0]), found('json-schema', ['x', 0, 'name'])],
      left: ['error bad-extra-env at x.0'],
    },
    {
      given: 'a schema speaks below a place that was told of for another reason',
      findings: [found('managed-twice', ['x']), found('json-schema', ['x', 'y'])],
      left: ['error managed-twice at x', 'error json-schema at x.y'],
    },
    {
      given: 'a schema speaks of one place once',
      findings: [found('json-schema', ['x']), found('json-schema', ['x'])],
      left: ['error json-schema at x'],
    },
    {
      given: 'places in two files are two places',
      findings: [found('wrong-type', ['x']), found('json-schema', ['x'], { path: '/b.yml' })],
      left: ['error wrong-type at x', 'error json-schema at x'],
    },
  ])('$given', ({ findings, left }) => {
    expect(kept(...findings)).toEqual(left);
  });
});
