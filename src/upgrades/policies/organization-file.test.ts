import { describe, expect, it } from 'vitest';
import { declaredIn, declaredOrganizations, entry, fileOf } from '../../../test/support/declared-organizations.ts';
import { handMadeSnapshot, ocmEnvironment, organization } from '../../../test/support/hand-made-snapshot.ts';
import { readInstance } from '../../instance/index.ts';
import type { ClusterId, ClusterUuid } from './org-spec.ts';
import { declaredPolicies, orgSpecFromInstance } from './organization-file.ts';

const POLICY = { schedule: '0 8 * * 1-5', workloads: ['wl'], conditions: { soakDays: 2 } };
const LIVE = ['b', 'a'].map((name) => ({ id: `${name}-id` as ClusterId, uuid: `${name}-uuid` as ClusterUuid, name }));

function read(given: Readonly<Record<string, unknown>>, strict = true, live = LIVE) {
  const instance = readInstance(
    handMadeSnapshot({
      '/ocm/live.yml': ocmEnvironment('live'),
      '/orgs/1.yml': organization('org-1', '/ocm/live.yml', { orgId: 'o1', ...given }),
      '/orgs/2.yml': organization('org-2', '/ocm/live.yml', { orgId: 'o2' }),
    }),
  );
  const found = instance.organizations.find(({ orgId }) => orgId === 'o1');
  if (found === undefined) throw new Error(JSON.stringify(instance.findings));
  return orgSpecFromInstance(found, live, new Map(), { strict });
}

const policies = (...upgradePolicies: object[]) => ({
  upgradePolicyClusters: upgradePolicies.map((upgradePolicy, index) => ({ name: 'ab'[index], upgradePolicy })),
});

describe('an organization from its file', () => {
  it.each([true, false])(
    'gives both clusters of one name its policy, and a name the last of its entries (strict: %s)',
    (strict) => {
      const live = ['1', '2'].map((id) => ({ id: id as ClusterId, uuid: `u${id}` as ClusterUuid, name: 'a' }));
      const entries = [1, 5].map((soakDays) => ({ name: 'a', upgradePolicy: { ...POLICY, conditions: { soakDays } } }));
      const { clusters } = read({ upgradePolicyClusters: entries }, strict, live);
      expect(clusters).toMatchObject([
        { id: '1', policy: { soakDays: 5 } },
        { id: '2', policy: { soakDays: 5 } },
      ]);
    },
  );

  it('has a policy for every cluster that exists and is listed', () => {
    const conditions = { soakDays: 1, mutexes: ['m', 'm'], sector: 'prod', blockedVersions: ['rc'] };
    const spec = read({
      ...policies({ ...POLICY, conditions }),
      blockedVersions: ['^4\\.13'],
      sectors: [{ name: 'stage' }, { name: 'prod', maxParallelUpgrades: '50%', dependencies: [{ name: 'stage' }] }],
    });
    expect(spec).toEqual({
      orgId: 'o1',
      blockedVersions: ['^4\\.13'],
      freezes: [],
      sectors: [
        { name: 'stage', dependencies: [] },
        { name: 'prod', dependencies: ['stage'], maxParallelUpgrades: '50%' },
      ],
      inherit: [],
      clusters: [
        {
          ...LIVE[1],
          policy: {
            ...{ soakDays: 1, workloads: ['wl'], schedule: '0 8 * * 1-5' },
            ...{ mutexes: ['m'], sector: 'prod', blockedVersions: ['rc'] },
          },
        },
      ],
      problems: [],
    });
  });

  it('has the freezes of its label', () => {
    const key = 'sre-capabilities.aus.freeze';
    const [good, bad] = ['2026-12-20T00:00:00Z/2027-01-03T00:00:00Z=quarter end', 'winter'];
    expect(read({ labels: { [key]: good } })).toMatchObject({ freezes: [good], problems: [] });
    expect(read({ labels: { [key]: bad } })).toMatchObject({ freezes: [], problems: [{ key: `labels.${key}` }] });
    expect(read({ labels: { [key]: bad } }, false)).toMatchObject({ freezes: [], problems: [] });
  });

  it('tells where in the file something is wrong, and holds that cluster', () => {
    const spec = read(policies({ ...POLICY, conditions: { soakDays: -1 } }, { ...POLICY, workloads: [] }));
    expect(spec.clusters.map((cluster) => 'held' in cluster)).toEqual([true, true]);
    expect(spec.problems.map(({ key, message }) => [key, message])).toEqual([
      ['upgradePolicyClusters[0].upgradePolicy.conditions.soakDays', '-1 is less than 0'],
      ['upgradePolicyClusters[1].upgradePolicy.workloads', 'no workload'],
    ]);
  });

  it('holds a cluster whose entry does not fit; the others go on', () => {
    const conditions = { soakDays: 'few', sector: 's', mutexes: ['m'] };
    const broken = { ...POLICY, conditions };
    const spec = read({ ...policies(broken, { ...POLICY, workloads: [] }), sectors: [{ name: 's' }] });
    expect(spec.clusters.map((cluster) => ('held' in cluster ? cluster.held : 'served'))).toEqual([
      'upgradePolicyClusters[0].upgradePolicy.conditions.soakDays: soakDays must be a number, but is text',
      'upgradePolicyClusters[1].upgradePolicy.workloads: no workload',
    ]);
    expect(spec.clusters[0]).toMatchObject({ known: { workloads: ['wl'], sector: 's', mutexes: ['m'] } });
    const [, b] = read(policies(broken, POLICY)).clusters;
    expect(b).toMatchObject({ name: 'b', policy: { workloads: ['wl'] } });
    expect(spec.problems.every(({ scope }) => scope.kind === 'cluster')).toBe(true);
  });

  it.each([
    {
      given: { upgradePolicyClusters: [{ name: 5, upgradePolicy: POLICY }] },
      key: 'upgradePolicyClusters[0].name',
    },
    {
      given: policies({ ...POLICY, conditions: { soakDays: 1, sector: 7 } }),
      key: 'upgradePolicyClusters[0].upgradePolicy.conditions.sector',
    },
    { given: { sectors: [{ name: 's', maxParallelUpgrades: 2 }] }, key: 'sectors[0].maxParallelUpgrades' },
    { given: { blockedVersions: ['['] }, key: 'blockedVersions' },
    { given: { sectors: [{ name: 's', maxParallelUpgrades: 'all' }] }, key: 'sectors.s.maxParallelUpgrades' },
    { given: { sectors: [{ name: 's', dependencies: [{ name: 's' }] }] }, key: 'sectors.s' },
    { given: { sectors: [{ name: 's', dependencies: [{ name: 'x' }] }] }, key: 'sectors.s' },
    {
      given: { sectors: [{ name: 't' }, { name: 's', dependencies: [{ name: 't', ocm: { $ref: '/orgs/2.yml' } }] }] },
      key: 'sectors.s.dependencies',
    },
  ])('stops as a whole with $given', ({ given, key }) => {
    const { problems } = read(given);
    expect(problems).toEqual([expect.objectContaining({ scope: { kind: 'organization' }, severity: 'error', key })]);
  });
});

const ref = (orgId: string) => ({ $ref: fileOf(orgId) });

describe('what organization files declare', () => {
  it('is there for every organization of the environment, with whom it shares its history', () => {
    const { organizations, sharing } = declaredIn({
      'org-1': { upgradePolicyClusters: [entry('a')], inheritVersionData: [ref('org-2')] },
      'org-2': { publishVersionData: [ref('org-1'), ref('org-3')] },
      'org-3': {},
    });
    expect([...organizations.keys()]).toEqual(['org-1', 'org-2', 'org-3']);
    expect(Object.fromEntries(sharing)).toEqual({
      'org-1': { 'sre-capabilities.aus.version-data.inherit': 'org-2' },
      'org-2': { 'sre-capabilities.aus.version-data.publish': 'org-1,org-3' },
      'org-3': {},
    });
  });

  it('leaves out organizations of other environments, but knows them by their files', () => {
    const [one, two] = declaredOrganizations({ 'org-1': { inheritVersionData: [ref('org-2')] }, 'org-2': {} });
    if (one === undefined || two === undefined) throw new Error('both were declared');
    const elsewhere = { ...two, environment: { ...two.environment, file: '/ocm/other.yml' } };
    const { organizations, sharing } = declaredPolicies([one, elsewhere], one.environment.file);
    expect([...organizations.keys()]).toEqual(['org-1']);
    expect(sharing.get('org-1')).toEqual({ 'sre-capabilities.aus.version-data.inherit': 'org-2' });
  });

  it('names a file that is not there by its path', () => {
    const [one] = declaredOrganizations({ 'org-1': {} });
    if (one === undefined) throw new Error('it was declared');
    const { sharing } = declaredPolicies([{ ...one, inheritVersionData: ['/gone.yml'] }], one.environment.file);
    expect(sharing.get('org-1')).toEqual({ 'sre-capabilities.aus.version-data.inherit': '/gone.yml' });
  });
});
