import { describe, expect, it } from 'vitest';
import { fleetWith, managedOnce } from '../../../test/support/fleet.ts';
import {
  account,
  cluster,
  integration,
  leanNamespace,
  managedIn,
  organization,
} from '../../../test/support/hand-made-snapshot.ts';
import { selectWorkloads } from './select.ts';

type Files = Parameters<typeof fleetWith>[0];

function select(files: Files) {
  const { groups, findings } = selectWorkloads(fleetWith(files));
  return {
    kept: groups.flatMap(({ entries }) =>
      entries.map(({ entry, integration: { name } }) => `${name} ${entry.keys.join('.')}`),
    ),
    findings,
  };
}

const PER_ACCOUNT = { strategy: 'per-aws-account' };

describe('a name that Kubernetes refuses', () => {
  it.each([
    { given: 'an underscore', name: 'acc_4' },
    { given: 'a capital', name: 'Acc' },
    { given: 'two dots together', name: 'acc..4' },
    { given: 'a dot at the end', name: 'acc.' },
    { given: 'a dash at the end', name: 'acc-' },
    { given: 'a slash', name: '../acc' },
    { given: 'a letter that is not ASCII', name: 'ünit' },
  ])('with $given takes its entry out, and says which shard', ({ name }) => {
    const files = {
      '/aws/bad.yml': account(name),
      '/mine.yml': managedOnce({ sharding: PER_ACCOUNT }),
      '/other.yml': managedOnce({ name: 'other' }),
    };
    const { kept, findings } = select(files);
    expect(kept).toEqual(['other managed.0']);
    expect(findings).toEqual([
      {
        severity: 'error',
        rule: 'bad-object-name',
        path: '/mine.yml',
        keys: ['managed', 0],
        message: `mine, shard ${name}: qontract-reconcile-mine-${name} is not a valid DNS-1123 name`,
        hint: 'rename the account, cluster or other resource of the shard: use lowercase letters, digits, dashes and dots',
      },
    ]);
  });

  it('has dots only where Kubernetes takes them', () => {
    const files = { '/aws/dotted.yml': account('acc.4'), '/mine.yml': managedOnce({ sharding: PER_ACCOUNT }) };
    expect(select(files)).toEqual({ kept: ['mine managed.0'], findings: [] });
  });

  it('of the integration itself', () => {
    expect(select({ '/mine.yml': managedOnce({ name: 'my_integration' }) }).findings).toMatchObject([
      { rule: 'bad-object-name', message: expect.stringContaining('qontract-reconcile-my_integration is not') },
    ]);
  });
});

describe('a name that is too long', () => {
  const PREFIX = 'qontract-reconcile-'.length;

  it.each([
    { kind: 'CronJob', spec: { cron: '0 8 * * *' }, longest: 52 },
    { kind: 'StatefulSet', spec: { cache: true }, longest: 52 },
    { kind: 'Deployment', spec: {}, longest: 63 },
  ])('a $kind may have $longest characters', ({ spec, longest }) => {
    const named = (length: number): Files => ({
      '/mine.yml': managedOnce({ name: 'x'.repeat(length - PREFIX), spec }),
    });
    expect(select(named(longest)).findings).toEqual([]);
    expect(select(named(longest + 1)).findings).toMatchObject([{ severity: 'error', rule: 'bad-object-name' }]);
  });

  it.each([
    { name: 'x'.repeat(60), told: 'the label qontract-reconcile-xxx' },
    { name: 'x'.repeat(260), told: 'has 281 characters; the limit for a Deployment is 242' },
  ])('of an integration: $told', ({ name, told }) => {
    const files = { '/mine.yml': managedOnce({ name, sharding: { strategy: 'static', shards: 2 } }) };
    expect(select(files).findings[0]?.message).toContain(told);
  });

  it.each([
    { length: 63, rules: [] },
    { length: 64, rules: ['bad-object-name'] },
  ])('of an item: $length characters for its label give $rules', ({ length, rules }) => {
    const files = { '/aws/long.yml': account('y'.repeat(length)), '/mine.yml': managedOnce({ sharding: PER_ACCOUNT }) };
    expect(select(files).findings.map(({ rule }) => rule)).toEqual(rules);
  });
});

describe('two shards of one integration with one name', () => {
  it.each([
    {
      given: 'two organizations with the same id',
      files: { '/orgs/2.yml': organization('org-2', '/ocm/live.yml', { orgId: 'org-id-A' }) },
      sharding: { strategy: 'per-ocm-organization' },
      name: 'qontract-reconcile-mine-org-id-a',
    },
    {
      given: 'two organizations whose ids differ in case',
      files: { '/orgs/2.yml': organization('org-2', '/ocm/live.yml', { orgId: 'ORG-ID-A' }) },
      sharding: { strategy: 'per-ocm-organization' },
      name: 'qontract-reconcile-mine-org-id-a',
    },
    {
      given: 'a cluster that is named like a sub-shard of another',
      files: { '/clusters/sub.yml': cluster('cluster-1-0') },
      sharding: {
        strategy: 'per-openshift-cluster',
        shardSpecOverrides: [{ shard: 'cluster-1', subSharding: { strategy: 'static', shards: 2 } }],
      },
      name: 'qontract-reconcile-mine-cluster-1-0',
    },
  ])('$given', ({ files, sharding, name }) => {
    const { kept, findings } = select({ ...files, '/mine.yml': managedOnce({ sharding }) });
    expect(kept).toEqual([]);
    expect(findings).toMatchObject([
      { severity: 'error', rule: 'object-name-collision', message: `two shards of mine are both named ${name}` },
    ]);
  });
});

describe('one integration twice in one namespace', () => {
  it.each([
    { given: 'alike', second: {} },
    { given: 'once in a loop and once on a schedule', second: { spec: { resources: {}, cron: '0 8 * * *' } } },
    { given: 'sharded in two ways', second: { sharding: { strategy: 'static', shards: 2 } } },
  ])('$given: the first entry stays', ({ second }) => {
    const { kept, findings } = select({
      '/mine.yml': integration('mine', { managed: [managedIn('/ns.yml'), managedIn('/ns.yml', second)] }),
    });
    expect(kept).toEqual(['mine managed.0']);
    expect(findings).toEqual([
      {
        severity: 'error',
        rule: 'managed-twice',
        path: '/mine.yml',
        keys: ['managed', 1, 'namespace'],
        message: 'mine is managed twice in lab/ns',
        hint: 'merge the two entries',
      },
    ]);
  });

  it('by way of two files for the namespace', () => {
    const managed = [managedIn('/ns.yml'), managedIn('/again.yml')];
    const files = { '/again.yml': leanNamespace('ns'), '/mine.yml': integration('mine', { managed }) };
    expect(select(files).findings.map(({ rule }) => rule)).toEqual(['managed-twice']);
  });

  it('by way of two files for the integration', () => {
    const files = { '/a.yml': managedOnce({}), '/b.yml': managedOnce({}) };
    expect(select(files)).toMatchObject({
      kept: ['mine managed.0'],
      findings: [{ path: '/b.yml', message: 'mine is managed twice in lab/ns, first in data/a.yml' }],
    });
  });

  it('in two namespaces is as it should be', () => {
    const managed = [managedIn('/ns.yml'), managedIn('/other.yml')];
    const files = { '/other.yml': leanNamespace('other'), '/mine.yml': integration('mine', { managed }) };
    expect(select(files)).toEqual({ kept: ['mine managed.0', 'mine managed.1'], findings: [] });
  });
});

describe('two integrations whose names meet', () => {
  it('in an object of one kind: the first stays, and is named', () => {
    const files = {
      '/a.yml': managedOnce({ name: 'tf', sharding: PER_ACCOUNT }),
      '/b.yml': managedOnce({ name: 'tf-acc-1' }),
    };
    const { kept, findings } = select(files);
    expect(kept).toEqual(['tf managed.0']);
    expect(findings).toMatchObject([
      {
        rule: 'object-name-collision',
        path: '/b.yml',
        message: 'tf-acc-1 and tf (data/a.yml) both have an object qontract-reconcile-tf-acc-1 in this namespace',
      },
    ]);
  });

  it('in objects of two kinds do not', () => {
    const files = {
      '/a.yml': managedOnce({ name: 'tf', sharding: PER_ACCOUNT }),
      '/b.yml': managedOnce({ name: 'tf-acc-1', spec: { cron: '0 8 * * *' } }),
    };
    expect(select(files)).toEqual({ kept: ['tf managed.0', 'tf-acc-1 managed.0'], findings: [] });
  });
});
