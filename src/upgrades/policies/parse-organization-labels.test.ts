import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { type Labels, PREFIX } from './label-keys.ts';
import { parseOrganizationLabels } from './parse-organization-labels.ts';

function read(labels: Labels, strict = true) {
  const prefixed = Object.entries(labels).map(([key, value]) => [PREFIX + key, value]);
  return parseOrganizationLabels(Object.fromEntries(prefixed), { strict });
}

const told = (labels: Labels) =>
  read(labels).faults.map(({ severity, key, message }) => [severity, key.slice(PREFIX.length), message]);

describe('labels of an organization', () => {
  it('say everything that they can', () => {
    const labels = {
      'blocked-versions': '^4\\.13\\..*$, rc',
      'sector-deps.prod': 'stage, dev',
      'sector-deps.stage': '',
      'sector-max-parallel-upgrades.prod': '50%',
      'version-data.inherit': 'o1,o2',
      'version-data.publish': 'o3',
      'version-gate-approvals': 'api.openshift.com/gate-sts',
    };
    expect(read(labels)).toEqual({
      blockedVersions: ['^4\\.13\\..*$', 'rc'],
      sectors: [
        { name: 'prod', dependencies: ['stage', 'dev'], maxParallelUpgrades: '50%' },
        { name: 'stage', dependencies: [] },
        { name: 'dev', dependencies: [] },
      ],
      inherit: ['o1', 'o2'],
      publish: ['o3'],
      versionGateApprovals: ['api.openshift.com/gate-sts'],
      faults: [],
    });
  });

  it('may be none', () => {
    expect(read({})).toEqual({ sectors: [], inherit: [], publish: [], faults: [] });
  });

  it('name sectors with dots', () => {
    expect(read({ 'sector-deps.eu.west': 'eu.stage' }).sectors.map(({ name }) => name)).toEqual([
      'eu.west',
      'eu.stage',
    ]);
  });

  it.each([
    { labels: { 'blocked-versions': 'a,' }, says: ['error', 'blocked-versions', 'the list has a blank member'] },
    {
      labels: { freeze: 'now/then' },
      says: ['error', 'freeze', '"now/then" is not a freeze: "now" is not a time in ISO 8601'],
    },
    { labels: { 'sector-deps.a': 'b,' }, says: ['error', 'sector-deps.a', 'the list has a blank member'] },
    { labels: { 'sector-deps.': 'b' }, says: ['error', 'sector-deps.', 'the key has no sector name'] },
    {
      labels: { 'sector-deps.a': 'a' },
      says: ['error', 'sector-deps.a', 'dependency cycle between sectors: a → a'],
    },
    {
      labels: { 'sector-deps.a': 'b', 'sector-deps.b': 'c', 'sector-deps.c': 'b' },
      says: ['error', 'sector-deps.b', 'dependency cycle between sectors: b → c → b'],
    },
    {
      labels: { 'sector-max-parallel-upgrades.x': '1' },
      says: ['warning', 'sector-max-parallel-upgrades.x', 'sector x is not declared, so its limit has no effect'],
    },
    { labels: { 'sector-dep.a': '' }, says: ['warning', 'sector-dep.a', 'unknown label'] },
  ])('$labels: $says', ({ labels, says }) => {
    expect(told(labels as unknown as Labels)).toEqual([says]);
  });

  it.each(['1', '7', '100', '1%', '50%', '100%'])('may limit a sector to %s', (limit) => {
    expect(told({ 'sector-deps.a': '', 'sector-max-parallel-upgrades.a': limit })).toEqual([]);
  });

  it.each(['', '-1', '1.5', 'abc', '%', '5 %', '101%'])('may not limit a sector to "%s"', (limit) => {
    const { faults, sectors } = read({ 'sector-deps.a': '', 'sector-max-parallel-upgrades.a': limit });
    expect(faults).toEqual([expect.objectContaining({ severity: 'error' })]);
    expect(sectors[0]).not.toHaveProperty('maxParallelUpgrades');
  });

  it.each(['0', '0%'])('are warned of the limit %s', (limit) => {
    expect(told({ 'sector-deps.a': '', 'sector-max-parallel-upgrades.a': limit })).toEqual([
      ['warning', 'sector-max-parallel-upgrades.a', `the limit ${limit} counts as 1`],
    ]);
  });

  it('have a bounded number of sectors', () => {
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`sector-deps.s${index}`, '']));
    expect(told(many)).toEqual([['error', 'sector-deps.', 'the organization declares 201 sectors']]);
  });

  const LABELS = fc.dictionary(
    fc.oneof(
      fc.string(),
      fc.constantFrom('sector-deps.a', 'sector-deps.b', 'sector-max-parallel-upgrades.a', 'blocked-versions'),
    ),
    fc.oneof(fc.string(), fc.constantFrom('a', 'a,b', 'b', ',')),
  );

  it('never throw', () => {
    holds(
      fc.property(LABELS, fc.boolean(), (labels, strict) => {
        expect(Array.isArray(read(labels, strict).faults)).toBe(true);
      }),
    );
  });

  it('say the same in whatever order they come', () => {
    holds(
      fc.property(LABELS, (labels) => {
        expect(read(Object.fromEntries(Object.entries(labels).reverse()))).toEqual(read(labels));
      }),
      { examples: [[{ 'sector-deps.a': 'b', 'sector-deps.b': 'a', x: '', y: '' }]] },
    );
  });
});
