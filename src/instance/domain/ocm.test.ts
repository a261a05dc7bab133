import { describe, expect, it } from 'vitest';
import { handMadeSnapshot, ocmEnvironment, organization, ref } from '../../../test/support/hand-made-snapshot.ts';
import { readInstance } from './read-instance.ts';

type Content = Readonly<Record<string, unknown>>;

function read(more: Content) {
  const snapshot = handMadeSnapshot({
    '/env.yml': ocmEnvironment('live', { description: 'as customers use it' }),
    '/org.yml': organization('o', '/env.yml', more),
  });
  const { organizations, findings } = readInstance(snapshot);
  return { organization: organizations[0], told: findings.map(({ rule, keys }) => `${rule} at ${keys.join('.')}`) };
}

const HOME_LOGIN = {
  accessTokenClientId: 'client of live',
  accessTokenUrl: 'https://sso.example.com/live',
  accessTokenClientSecret: { path: 'some/path', field: 'token' },
};
const OWN_SECRET = { path: 'own/path', field: 'secret', version: 2 };

describe('the login of an organization', () => {
  it.each([
    { given: 'nothing of its own', own: {}, login: HOME_LOGIN },
    {
      given: 'all of its own',
      own: {
        accessTokenClientId: 'own',
        accessTokenUrl: 'https://own.example.com',
        accessTokenClientSecret: OWN_SECRET,
      },
      login: {
        accessTokenClientId: 'own',
        accessTokenUrl: 'https://own.example.com',
        accessTokenClientSecret: OWN_SECRET,
      },
    },
    {
      given: 'an own client and secret at the address of its environment',
      own: { accessTokenClientId: 'own', accessTokenClientSecret: OWN_SECRET },
      login: { ...HOME_LOGIN, accessTokenClientId: 'own', accessTokenClientSecret: OWN_SECRET },
    },
  ])('with $given', ({ own, login }) => {
    expect(read(own)).toMatchObject({ organization: { login }, told: [] });
  });
});

describe('an organization', () => {
  it('has empty lists where its file says nothing', () => {
    expect(read({}).organization).toMatchObject({
      file: '/org.yml',
      name: 'o',
      orgId: 'id of o',
      environment: { file: '/env.yml', name: 'live', url: 'https://live.example.com' },
      blockedVersions: [],
      sectors: [],
      policyClusters: [],
      healthChecks: [],
      inheritVersionData: [],
      publishVersionData: [],
      disabledIntegrations: [],
    });
  });

  it('has sectors whose dependencies may be of another organization', () => {
    const dependencies = [{ name: 'early' }, { name: 'late', ocm: ref('/other.yml') }];
    const { organization: found } = read({ sectors: [{ name: 'main', maxParallelUpgrades: '25%', dependencies }] });
    expect(found?.sectors).toEqual([
      {
        name: 'main',
        maxParallelUpgrades: '25%',
        dependencies: [{ name: 'early' }, { name: 'late', organization: '/other.yml' }],
      },
    ]);
  });

  it('lists clusters of its own with their policies', () => {
    const upgradePolicy = { schedule: '0 10 * * 1-4', workloads: ['w'], conditions: { soakDays: 3 } };
    const clusters = [
      { name: 'c', serverUrl: 'https://c.example.com', spec: { id: '1' }, upgradePolicy },
      { name: 'd', upgradePolicy },
    ];
    expect(read({ upgradePolicyClusters: clusters }).organization?.policyClusters).toEqual([
      { name: 'c', serverUrl: 'https://c.example.com', id: '1', upgradePolicy },
      { name: 'd', upgradePolicy },
    ]);
  });

  it('names others by their files', () => {
    const more = { inheritVersionData: [ref('/a.yml')], publishVersionData: [ref('/b.yml'), ref('/c.yml')] };
    expect(read(more).organization).toMatchObject({
      inheritVersionData: ['/a.yml'],
      publishVersionData: ['/b.yml', '/c.yml'],
    });
  });

  it('may switch integrations off', () => {
    expect(read({ disable: { integrations: ['i'] } }).organization?.disabledIntegrations).toEqual(['i']);
  });

  it.each([
    {
      given: 'an environment that does not exist',
      more: { environment: ref('/no.yml') },
      told: ['ref-dangling at environment.$ref'],
    },
    {
      given: 'an environment that is an organization',
      more: { environment: ref('/org.yml') },
      told: ['ref-wrong-type at environment.$ref'],
    },
    { given: 'an id that is a number', more: { orgId: 5 }, told: ['wrong-type at orgId'] },
    { given: 'sectors that are no list', more: { sectors: 'all' }, told: ['wrong-type at sectors'] },
  ])('with $given is left out', ({ more, told }) => {
    expect(read(more)).toEqual({ organization: undefined, told });
  });
});

describe('an entry that does not fit', () => {
  const policy = { schedule: '0 10 * * 1-4', workloads: ['w'], conditions: { soakDays: 3 } };
  const conditions = { soakDays: 'few', sector: 's', mutexes: ['m'] };

  it.each([
    {
      given: 'a schedule that never comes',
      entry: { name: 'c', upgradePolicy: { ...policy, schedule: '0 0 30 2 *' } },
      told: 'bad-cron at upgradePolicyClusters.1.upgradePolicy.schedule',
      cluster: { name: 'c', known: { workloads: ['w'] } },
    },
    {
      given: 'soak days that are text',
      entry: { name: 'c', upgradePolicy: { ...policy, conditions } },
      told: 'wrong-type at upgradePolicyClusters.1.upgradePolicy.conditions.soakDays',
      cluster: { name: 'c', known: { workloads: ['w'], sector: 's', mutexes: ['m'] } },
    },
    {
      given: 'workloads that are no list, so that they are not known',
      entry: { name: 'c', upgradePolicy: { ...policy, workloads: 'w' } },
      told: 'wrong-type at upgradePolicyClusters.1.upgradePolicy.workloads',
      cluster: { name: 'c', known: {} },
    },
    {
      given: 'a name that is a number',
      entry: { name: 5, upgradePolicy: policy },
      told: 'wrong-type at upgradePolicyClusters.1.name',
      cluster: undefined,
    },
    {
      given: 'a sector that is a number',
      entry: { name: 'c', upgradePolicy: { ...policy, conditions: { soakDays: 1, sector: 7 } } },
      told: 'wrong-type at upgradePolicyClusters.1.upgradePolicy.conditions.sector',
      cluster: undefined,
    },
    {
      given: 'mutexes that are text',
      entry: { name: 'c', upgradePolicy: { ...policy, conditions: { soakDays: 1, mutexes: 'm' } } },
      told: 'wrong-type at upgradePolicyClusters.1.upgradePolicy.conditions.mutexes',
      cluster: undefined,
    },
    {
      given: 'no policy',
      entry: { name: 'c' },
      told: 'missing-field at upgradePolicyClusters.1.upgradePolicy',
      cluster: undefined,
    },
  ])('has its finding, and leaves the others: $given', ({ entry, told, cluster }) => {
    const clusters = [{ name: 'a', upgradePolicy: policy }, entry, { name: 'b', upgradePolicy: policy }];
    const found = read({ upgradePolicyClusters: clusters });
    expect(found.told).toEqual([told]);
    expect(found.organization?.policyClusters.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(found.organization?.unread).toMatchObject([{ list: 'upgradePolicyClusters', index: 1 }]);
    expect(found.organization?.unread?.[0]?.cluster).toEqual(cluster);
  });

  it('may be a sector', () => {
    const { organization: found, told } = read({ sectors: [{ name: 's' }, { name: 't', dependencies: ['s'] }] });
    expect(told).toEqual(['wrong-type at sectors.1.dependencies.0']);
    expect(found).toMatchObject({ sectors: [{ name: 's' }], unread: [{ list: 'sectors', index: 1 }] });
  });
});
