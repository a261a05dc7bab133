import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import type { OrgId } from '../../instance/index.ts';
import { inheritanceNetwork, type Sharing } from './inheritance.ts';
import { CLUSTER_LABELS, type ClusterLabel, clusterKey, type Labels, PREFIX } from './label-keys.ts';
import { orgSpecFromLabels, parseClusterLabels, parseOrganizationLabels } from './labels.ts';
import type { ClusterId, ClusterUuid } from './org-spec.ts';

const prefixed = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).map(([key, value]) => [PREFIX + key, value]));

function labelled(name: string, change: Labels = {}) {
  const labels = prefixed({ 'soak-days': '0', workloads: 'wl', schedule: '* * * * *', ...change });
  return { id: `${name}-id` as ClusterId, uuid: `${name}-uuid` as ClusterUuid, name, labels };
}

function read(organization: Labels, ...clusters: ReturnType<typeof labelled>[]) {
  const orgId = 'o1' as OrgId;
  return orgSpecFromLabels({ orgId, labels: prefixed(organization), clusters }, new Map(), { strict: true });
}

describe('an organization from labels', () => {
  it('has its clusters in order, good ones with a policy, bad ones held', () => {
    const spec = read({ 'sector-deps.prod': '' }, labelled('b'), labelled('a', { schedule: 'x', sector: 'prod' }));
    expect(spec.clusters).toEqual([
      { id: 'b-id', uuid: 'b-uuid', name: 'b', policy: { soakDays: 0, workloads: ['wl'], schedule: '* * * * *' } },
      {
        id: 'a-id',
        uuid: 'a-uuid',
        name: 'a',
        known: { soakDays: 0, workloads: ['wl'], sector: 'prod' },
        held: expect.stringContaining('sre-capabilities.aus.schedule: "x" is not a valid schedule'),
      },
    ]);
    expect(spec.problems).toEqual([
      expect.objectContaining({ scope: { kind: 'cluster', cluster: expect.objectContaining({ name: 'a' }) } }),
    ]);
  });

  it('holds a cluster in a sector that is not declared', () => {
    const spec = read(
      { 'sector-deps.prod': '' },
      labelled('a', { sector: 'prodd' }),
      labelled('b', { sector: 'prod' }),
    );
    expect(spec.clusters.map((cluster) => 'held' in cluster)).toEqual([true, false]);
    expect(spec.problems).toEqual([
      expect.objectContaining({
        message: 'sector prodd is not declared',
        hint: 'did you mean prod?',
        severity: 'error',
      }),
    ]);
  });

  it('stops as a whole when no cluster is in a declared sector', () => {
    const spec = read({}, labelled('a', { sector: 'prod' }), labelled('b', { sector: 'stage' }));
    expect(spec.problems.map(({ scope }) => scope.kind)).toEqual(['organization', 'cluster', 'cluster']);
  });

  it('does not, when some cluster needs no sector', () => {
    const spec = read({}, labelled('a', { sector: 'prod' }), labelled('b'));
    expect(spec.problems.map(({ scope }) => scope.kind)).toEqual(['cluster']);
  });

  it('tells what is wrong with its own labels', () => {
    const spec = read({ 'blocked-versions': '[' }, labelled('a'));
    expect(spec.problems).toEqual([expect.objectContaining({ scope: { kind: 'organization' }, severity: 'error' })]);
    expect(spec.blockedVersions).toEqual([]);
  });

  it('inherits what is published to it', () => {
    const network = inheritanceNetwork(
      new Map<string, Sharing>([
        ['o1', { environment: 'prod', inherit: ['o2'], publish: [] }],
        ['o2', { environment: 'stage', inherit: [], publish: ['o1'] }],
      ]),
    );
    const source = { orgId: 'o1' as OrgId, labels: {}, clusters: [] };
    expect(orgSpecFromLabels(source, network, { strict: true }).inherit).toEqual([
      { environment: 'stage', orgId: 'o2' },
    ]);
  });
});

const STRICT = { strict: true };
const GOOD: Labels = {
  [clusterKey('soakDays')]: '3',
  [clusterKey('workloads')]: 'wl',
  [clusterKey('schedule')]: '0 8 * * 1-5',
};
const readCluster = (change: Labels = {}) => parseClusterLabels({ ...GOOD, ...change }, STRICT);

describe('labels of a cluster', () => {
  it('make a policy, with every key', () => {
    const labels = {
      [clusterKey('workloads')]: ' a, b ,a',
      [clusterKey('mutexes')]: 'm2,m1',
      [clusterKey('sector')]: ' stage ',
      [clusterKey('blockedVersions')]: '^4\\.13\\..*$, rc',
      [clusterKey('versionGateApprovals')]: 'api.openshift.com/gate-ocp',
      'foreign.label': 'x',
    };
    expect(readCluster(labels)).toMatchObject({
      policy: {
        soakDays: 3,
        workloads: ['a', 'b'],
        schedule: '0 8 * * 1-5',
        mutexes: ['m2', 'm1'],
        sector: 'stage',
        blockedVersions: ['^4\\.13\\..*$', 'rc'],
        versionGateApprovals: ['api.openshift.com/gate-ocp'],
      },
      faults: [],
    });
  });

  it('need no more than three', () => {
    expect(readCluster().policy).toEqual({ soakDays: 3, workloads: ['wl'], schedule: '0 8 * * 1-5' });
    expect(parseClusterLabels({}, STRICT).faults.map(({ key, message }) => [key, message])).toEqual([
      [clusterKey('soakDays'), 'the label is missing'],
      [clusterKey('workloads'), 'the label is missing'],
      [clusterKey('schedule'), 'the label is missing'],
    ]);
  });

  it.each([
    { name: 'soakDays', value: '', says: 'not a whole number of days' },
    { name: 'soakDays', value: '-1', says: '-1 is less than 0' },
    { name: 'soakDays', value: '99999', says: '99999 is more than 36500' },
    { name: 'workloads', value: '', says: 'no workload' },
    { name: 'workloads', value: 'a,', says: 'the list has a blank member' },
    { name: 'schedule', value: '@daily', says: 'it must have five fields' },
    { name: 'schedule', value: '0 0 30 2 *', says: 'matches no date' },
    { name: 'mutexes', value: ',m', says: 'the list has a blank member' },
    {
      name: 'mutexes',
      value: Array.from({ length: 201 }, (_, index) => index).join(),
      says: 'the list has 201 members',
    },
    { name: 'blockedVersions', value: 'a,', says: 'the list has a blank member' },
    { name: 'blockedVersions', value: '4.1[', says: '"4.1[" is not a valid regular expression' },
    { name: 'blockedVersions', value: 'x{1,2}', says: 'a comma split it' },
  ] satisfies { name: ClusterLabel; value: string; says: string }[])(
    'with $name "$value" are no policy: $says',
    ({ name, value, says }) => {
      const { policy, faults } = readCluster({ [clusterKey(name)]: value });
      expect(policy).toBeUndefined();
      expect(faults[0]).toMatchObject({
        severity: 'error',
        key: clusterKey(name),
        message: expect.stringContaining(says),
      });
      expect(faults.every(({ hint }) => hint !== '')).toBe(true);
    },
  );

  it.each([
    { key: clusterKey('schedule'), value: '0 8 1 * 1', says: 'a day must match both' },
    { key: clusterKey('versionGateApprovals'), value: 'gate-x', says: 'gate-x is not a known version gate' },
    {
      key: `${PREFIX}soak-day`,
      value: '1',
      says: 'unknown label',
      hint: `did you mean ${PREFIX}soak-days?`,
    },
    { key: `${PREFIX}qqqqqqqq`, value: '1', says: 'unknown label', hint: 'remove it' },
  ])('with $key = $value are a policy, with a warning: $says', ({ key, value, says, hint }) => {
    const { policy, faults } = readCluster({ [key]: value });
    expect(policy).toBeDefined();
    expect(faults).toEqual([
      expect.objectContaining({ severity: 'warning', key, message: expect.stringContaining(says) }),
    ]);
    if (hint !== undefined) expect(faults[0]?.hint).toBe(hint);
  });

  it.each(['', '  '])('with the sector "%s" have none', (sector) => {
    expect(readCluster({ [clusterKey('sector')]: sector }).policy).not.toHaveProperty('sector');
  });

  it('that are wrong still tell what can be read of them', () => {
    const labels = { [clusterKey('schedule')]: 'x', [clusterKey('mutexes')]: 'm,', [clusterKey('sector')]: 's' };
    expect(readCluster(labels).known).toEqual({ soakDays: 3, workloads: ['wl'], mutexes: ['m'], sector: 's' });
  });

  it('never throw, and are a policy exactly when nothing is an error', () => {
    const keys = Object.values(CLUSTER_LABELS).map(({ suffix }) => PREFIX + suffix);
    const value = fc.oneof(fc.string(), fc.constantFrom('0', 'a', 'a,b', '* * * * *', '[', ','));
    holds(
      fc.property(fc.dictionary(fc.constantFrom(...keys), value), fc.boolean(), (labels, strict) => {
        const { policy, faults } = parseClusterLabels(labels, { strict });
        expect(policy !== undefined).toBe(faults.every(({ severity }) => severity === 'warning'));
      }),
      { numRuns: 500 },
    );
  });
});

function readOrganization(labels: Labels, strict = true) {
  const prefixed = Object.entries(labels).map(([key, value]) => [PREFIX + key, value]);
  return parseOrganizationLabels(Object.fromEntries(prefixed), { strict });
}

const told = (labels: Labels) =>
  readOrganization(labels).faults.map(({ severity, key, message }) => [severity, key.slice(PREFIX.length), message]);

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
    expect(readOrganization(labels)).toEqual({
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
    expect(readOrganization({})).toEqual({ sectors: [], inherit: [], publish: [], faults: [] });
  });

  it('name sectors with dots', () => {
    expect(readOrganization({ 'sector-deps.eu.west': 'eu.stage' }).sectors.map(({ name }) => name)).toEqual([
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
    const { faults, sectors } = readOrganization({ 'sector-deps.a': '', 'sector-max-parallel-upgrades.a': limit });
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
        expect(Array.isArray(readOrganization(labels, strict).faults)).toBe(true);
      }),
    );
  });

  it('say the same in whatever order they come', () => {
    holds(
      fc.property(LABELS, (labels) => {
        expect(readOrganization(Object.fromEntries(Object.entries(labels).reverse()))).toEqual(
          readOrganization(labels),
        );
      }),
      { examples: [[{ 'sector-deps.a': 'b', 'sector-deps.b': 'a', x: '', y: '' }]] },
    );
  });
});
