import { describe, expect, it } from 'vitest';
import {
  account,
  cluster,
  handMadeSnapshot,
  ocmEnvironment,
  organization,
  ref,
  zone,
} from '../../test/support/hand-made-snapshot.ts';
import { readInstance } from '../instance/index.ts';
import { STRATEGIES, strategyOf } from './strategies.ts';

const INSTANCE = readInstance(
  handMadeSnapshot({
    '/ocm/two.yml': ocmEnvironment('two'),
    '/ocm/one.yml': ocmEnvironment('one'),
    '/orgs/b.yml': organization('b', '/ocm/one.yml', { disable: { integrations: ['reconciler'] } }),
    '/orgs/a.yml': organization('a', '/ocm/two.yml'),
    '/clusters/y.yml': cluster('y', { disable: ref('/clusters/y-disable.yml') }),
    '/clusters/y-disable.yml': { $schema: '/openshift/disable-1.yml', integrations: ['reconciler'] },
    '/clusters/x.yml': cluster('x', { ocm: ref('/orgs/a.yml') }),
    '/aws/q.yml': account('q', { disable: { integrations: ['other', 'reconciler'] } }),
    '/aws/p.yml': account('p'),
    '/zones/n.yml': zone('n'),
    '/zones/m.yml': zone('m'),
  }),
);

describe('the items of a strategy', () => {
  it.each([
    {
      id: 'per-aws-account',
      items: [
        { name: 'p', file: '/aws/p.yml', off: [] },
        { name: 'q', file: '/aws/q.yml', off: ['other', 'reconciler'] },
      ],
    },
    {
      id: 'per-openshift-cluster',
      items: [
        { name: 'x', file: '/clusters/x.yml', off: [] },
        { name: 'y', file: '/clusters/y.yml', off: ['reconciler'] },
      ],
    },
    {
      id: 'per-ocm-organization',
      items: [
        { name: 'a', file: '/orgs/a.yml', off: [] },
        { name: 'b', file: '/orgs/b.yml', off: [] },
      ],
    },
    {
      id: 'per-ocm-environment',
      items: [
        { name: 'one', file: '/ocm/one.yml', off: [] },
        { name: 'two', file: '/ocm/two.yml', off: [] },
      ],
    },
    {
      id: 'per-cloudflare-zone',
      items: [
        { name: 'm', file: '/zones/m.yml', off: [] },
        { name: 'n', file: '/zones/n.yml', off: [] },
      ],
    },
  ])('$id: one each, ordered by name, with what is switched off', ({ id, items }) => {
    const found = strategyOf(id)?.items?.(INSTANCE);
    expect(found?.map(({ name, file, disabledIntegrations: off }) => ({ name, file, off }))).toEqual(items);
  });

  it('static has none: its number is given', () => {
    expect(strategyOf('static')).toMatchObject({ id: 'static' });
    expect(strategyOf('static')?.items).toBeUndefined();
  });
});

describe('the name of a strategy', () => {
  it.each(STRATEGIES.map(({ id }) => id))('%s is known', (id) => {
    expect(strategyOf(id)?.id).toBe(id);
  });

  it.each([
    { name: 'per-cloudflare-dns-zone', id: 'per-cloudflare-zone' },
    { name: 'per-aws-acount', id: undefined },
    { name: 'Static', id: undefined },
    { name: '', id: undefined },
    { name: 'constructor', id: undefined },
  ])('"$name" stands for $id', ({ name, id }) => {
    expect(strategyOf(name)?.id).toBe(id);
  });
});
