import { describe, expect, it } from 'vitest';
import {
  account,
  cluster,
  handMadeSnapshot,
  ocmEnvironment,
  organization,
  ref,
  zone,
} from '../../../test/support/hand-made-snapshot.ts';
import { readInstance } from './read-instance.ts';

type Content = Readonly<Record<string, unknown>>;

const AROUND = {
  '/env.yml': ocmEnvironment('live'),
  '/org.yml': organization('o', '/env.yml'),
  '/off.yml': { $schema: '/openshift/cluster-integrations-1.yml', integrations: ['a', 'b'] },
};

const read = (file: Content) => readInstance(handMadeSnapshot({ ...AROUND, '/it.yml': file }));

describe('what is switched off for', () => {
  it.each([
    { given: 'nothing', disable: undefined, off: [] },
    { given: 'a list in the file', disable: { integrations: ['a'] }, off: ['a'] },
    { given: 'an empty list', disable: { integrations: [] }, off: [] },
    { given: 'other things only', disable: { e2eTests: ['x'] }, off: [] },
    { given: 'a file of its own', disable: ref('/off.yml'), off: ['a', 'b'] },
    { given: 'a file that does not exist, which the reference check tells', disable: ref('/no.yml'), off: [] },
  ])('a cluster and an account, by $given', ({ disable, off }) => {
    const more = disable === undefined ? {} : { disable };
    expect(read(cluster('c', more)).clusters[0]?.disabledIntegrations).toEqual(off);
    expect(read(account('a', more)).accounts[0]?.disabledIntegrations).toEqual(off);
  });
});

describe('a cluster', () => {
  it('has its organization resolved', () => {
    expect(read(cluster('c', { ocm: ref('/org.yml') })).clusters[0]?.organization?.name).toBe('o');
  });

  it('stays, without an organization, when its reference is wrong', () => {
    const { clusters, findings } = read(cluster('c', { ocm: ref('/env.yml') }));
    expect(clusters).toMatchObject([{ name: 'c' }]);
    expect(clusters[0]).not.toHaveProperty('organization');
    expect(findings).toMatchObject([{ rule: 'ref-wrong-type', keys: ['ocm', '$ref'] }]);
  });
});

describe('a zone', () => {
  it('has the name of its account', () => {
    const instance = readInstance(
      handMadeSnapshot({
        '/it.yml': { ...zone('z'), account: ref('/account.yml') },
        '/account.yml': { $schema: '/cloudflare/account-1.yml', name: 'edge' },
      }),
    );
    expect(instance.zones).toEqual([{ file: '/it.yml', identifier: 'z', zone: 'z.example.com', accountName: 'edge' }]);
  });
});
