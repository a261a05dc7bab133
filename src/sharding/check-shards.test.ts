import { describe, expect, it } from 'vitest';
import {
  account,
  cluster,
  handMadeSnapshot,
  integration,
  leanNamespace,
  managedIn,
  ocmEnvironment,
  organization,
  ref,
  zone,
} from '../../test/support/hand-made-snapshot.ts';
import { defined } from '../base/index.ts';
import { readInstance } from '../instance/index.ts';
import { isConsequence, undividedShards } from './check-shards.ts';
import { expandShards } from './expand-shards.ts';

const FILES = {
  '/ns.yml': leanNamespace('ns'),
  '/aws/app.yml': account('app'),
  '/aws/archive.yml': account('archive', { disable: { integrations: ['reconciler'] } }),
  '/aws/broken.yml': { $schema: '/aws/account-1.yml', name: 'broken' },
  '/clusters/prod.yml': cluster('prod'),
  '/ocm/live.yml': ocmEnvironment('live'),
  '/orgs/main.yml': organization('main', '/ocm/live.yml', { disable: { integrations: ['reconciler'] } }),
  '/zones/web.yml': zone('web'),
};

interface Given {
  readonly strategy: string;
  readonly shards?: number;
  readonly overrides: readonly unknown[];
}

/** What is said of an integration `reconciler` with these overrides. */
function check({ strategy, shards, overrides }: Given) {
  const sharding = {
    strategy,
    ...defined({ shards }),
    shardSpecOverrides: overrides.map((shard) => ({ shard, disabled: true })),
  };
  const capabilities = ['--account-name', '--cluster-name', '--org-id', '--ocm-env', '--zone-name'];
  const file = integration('reconciler', { capabilities, managed: [managedIn('/ns.yml', { sharding })] });
  const snapshot = handMadeSnapshot({ ...FILES, '/reconciler.yml': file }, { unreadable: ['/aws/garbled.yml'] });
  const instance = readInstance(snapshot);
  return instance.integrations
    .flatMap((integration) =>
      integration.managed.flatMap((entry) => expandShards(instance, integration, entry).findings),
    )
    .filter(({ rule }) => !isConsequence(rule));
}

describe('an override that names its shard', () => {
  it.each([
    { by: 'reference', strategy: 'per-aws-account', overrides: [ref('/aws/app.yml')] },
    { by: 'name', strategy: 'per-aws-account', overrides: ['app'] },
    { by: 'reference', strategy: 'per-openshift-cluster', overrides: [ref('/clusters/prod.yml')] },
    { by: 'name', strategy: 'per-openshift-cluster', overrides: ['prod'] },
    { by: 'reference', strategy: 'per-ocm-organization', overrides: [ref('/orgs/main.yml')] },
    { by: 'reference', strategy: 'per-ocm-environment', overrides: [ref('/ocm/live.yml')] },
    { by: 'name', strategy: 'per-ocm-environment', overrides: ['live'] },
    { by: 'reference', strategy: 'per-cloudflare-zone', overrides: [ref('/zones/web.yml')] },
    { by: 'name', strategy: 'per-cloudflare-zone', overrides: ['web'] },
    { by: 'name, with the older name of the strategy', strategy: 'per-cloudflare-dns-zone', overrides: ['web'] },
    { by: 'id', strategy: 'static', shards: 3, overrides: [0, 1, 2] },
    { by: 'id as text', strategy: 'static', shards: 3, overrides: ['2'] },
    { by: 'id, with one shard by default', strategy: 'static', overrides: [0] },
  ])('by $by under $strategy is right', ({ by: _, ...given }) => {
    expect(check(given)).toEqual([]);
  });
});

describe('an override that names no shard', () => {
  it.each([
    {
      given: 'a file of another kind',
      strategy: 'per-aws-account',
      overrides: [ref('/clusters/prod.yml')],
      message: 'the override is for /clusters/prod.yml, which is not an AWS account of per-aws-account sharding',
      hint: 'use one of: /aws/app.yml, /aws/archive.yml',
    },
    {
      given: 'a mistyped name',
      strategy: 'per-aws-account',
      overrides: ['archives'],
      message: 'the override is for archives, which is not an AWS account of per-aws-account sharding',
      hint: 'did you mean archive?',
    },
    {
      given: 'an id beyond the last',
      strategy: 'static',
      shards: 2,
      overrides: [2],
      message: 'the override is for 2, which is not a shard of static sharding',
      hint: 'use a shard id from 0 to 1',
    },
    {
      given: 'a negative id',
      strategy: 'static',
      overrides: [-1],
      message: 'the override is for -1, which is not a shard of static sharding',
      hint: 'use a shard id from 0 to 0',
    },
    {
      given: 'a file where shards are numbered',
      strategy: 'static',
      shards: 2,
      overrides: [ref('/aws/app.yml')],
      message: 'the override is for /aws/app.yml, which is not a shard of static sharding',
      hint: 'use a shard id from 0 to 1',
    },
    {
      given: 'a name under OCM environments',
      strategy: 'per-ocm-environment',
      overrides: ['main'],
      message: 'the override is for main, which is not an OCM environment of per-ocm-environment sharding',
      hint: 'use one of: live',
    },
  ])('$given', ({ given: _, message, hint, ...given }) => {
    const keys = ['managed', 0, 'sharding', 'shardSpecOverrides', 0, 'shard'];
    const rule = 'override-unknown-shard';
    expect(check(given)).toEqual([{ rule, severity: 'error', path: '/reconciler.yml', keys, message, hint }]);
  });

  it.each([
    { given: 'that does not exist', path: '/aws/nowhere.yml' },
    { given: 'that could not be read', path: '/aws/garbled.yml' },
    { given: 'with errors of its own', path: '/aws/broken.yml' },
  ])('a file $given is left to the check that reports it', ({ path }) => {
    expect(check({ strategy: 'per-aws-account', overrides: [ref(path)] })).toEqual([]);
  });
});

describe('an override that cannot take effect', () => {
  it('of a shard that is switched off in its own file', () => {
    expect(check({ strategy: 'per-aws-account', overrides: ['archive'] })).toMatchObject([
      {
        rule: 'override-disabled-shard',
        message: 'archive disables reconciler in its own file, so it has no shard to override',
      },
    ]);
  });

  it.each([
    {
      given: 'by reference and by name',
      strategy: 'per-aws-account',
      overrides: [ref('/aws/app.yml'), 'app'],
      told: 'app',
    },
    { given: 'by id and by its text', strategy: 'static', shards: 2, overrides: [1, '1'], told: '1' },
  ])('of a shard that has one already, $given', ({ given: _, told, ...given }) => {
    expect(check(given)).toMatchObject([
      {
        rule: 'override-duplicate',
        keys: ['managed', 0, 'sharding', 'shardSpecOverrides', 1, 'shard'],
        message: `${told} already has an override: entry 1 of the list`,
      },
    ]);
  });
});

describe('a strategy', () => {
  it.each([
    { strategy: 'per-aws-acount', hint: 'did you mean per-aws-account?' },
    { strategy: 'by moon phase', hint: expect.stringContaining('use one of: static, per-aws-account,') },
  ])('"$strategy" is not one: $hint', ({ strategy, hint }) => {
    expect(check({ strategy, overrides: ['app'] })).toEqual([
      {
        rule: 'unknown-strategy',
        severity: 'error',
        path: '/reconciler.yml',
        keys: ['managed', 0, 'sharding', 'strategy'],
        message: `${strategy} is not a sharding strategy`,
        hint,
      },
    ]);
  });
});

describe('static shards that would all do the same work', () => {
  const EXISTING = 'https://github.com/app-sre/qontract-reconcile';
  const told = (name: string, more: Readonly<Record<string, unknown>>, shards = 2) => {
    const managed = [managedIn('/ns.yml', { sharding: { strategy: 'static', shards } })];
    const files = { ...FILES, '/mine.yml': integration(name, { managed, ...more }) };
    return undividedShards(readInstance(handMadeSnapshot(files))).map(({ rule, keys }) => `${rule} ${keys.join('.')}`);
  };
  const WARNING = ['static-sharding-undivided managed.0.sharding.shards'];

  it.each([
    { given: 'a known one that takes an account', name: 'terraform-resources', more: {}, is: WARNING },
    { given: 'one of the existing upstream', name: 'jira-watcher', more: { upstream: EXISTING }, is: WARNING },
    { given: 'one that declares other capabilities', name: 'mine', more: { capabilities: ['/healthz'] }, is: WARNING },
    { given: 'one that declares SHARDS', name: 'jira-watcher', more: { capabilities: ['SHARDS'] }, is: [] },
    { given: 'one that reads SHARDS', name: 'openshift-groups', more: { upstream: EXISTING }, is: [] },
    {
      given: 'a trigger of deployments',
      name: 'openshift-saas-deploy-trigger-images',
      more: { upstream: EXISTING },
      is: [],
    },
    { given: 'one of which nothing is known', name: 'mine', more: { upstream: 'https://example.com/tools' }, is: [] },
  ])('of $given: $is', ({ name, more, is }) => {
    expect(told(name, more)).toEqual(is);
  });

  it('are not found where there is one shard', () => {
    expect(told('terraform-resources', {}, 1)).toEqual([]);
  });
});
