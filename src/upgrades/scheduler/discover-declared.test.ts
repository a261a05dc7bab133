import { describe, expect, it } from 'vitest';
import { declaredIn, entry } from '../../../test/support/declared-organizations.ts';
import { observed } from '../../../test/support/observed-organizations.ts';
import { member, upgradeWorld } from '../../../test/support/upgrade-world.ts';
import { type Intercept, type WorldCall, worldApi } from '../../sim/index.ts';
import { discoverDeclared } from './discover-declared.ts';
import type { Listed, Unread } from './upgrade-api.ts';

const FILES = {
  'org-1': { upgradePolicyClusters: [entry('b'), entry('a'), entry('gone')] },
  'org-2': { upgradePolicyClusters: [entry('c')] },
  'org-3': {},
};
const FLEET = [
  { id: 'org-1', clusters: [member('a'), member('b', {}, { product: 'rosa', sts: true }), member('unlisted')] },
  { id: 'org-2', clusters: [member('c')] },
  { id: 'org-3', clusters: [member('d')] },
];

async function discovered(options: { intercept?: Intercept; serves?: (orgId: string) => boolean; sts?: boolean } = {}) {
  const calls: WorldCall[] = [];
  const noting: Intercept = (call, act) => {
    calls.push(call);
    return options.intercept?.(call, act) ?? act();
  };
  const api = worldApi(upgradeWorld(FLEET), noting);
  const discovery = await discoverDeclared(api, declaredIn(FILES), options.serves ?? (() => true));
  const organizations = await observed(api, discovery, { ignoreSts: options.sts === false });
  const found = organizations.map(({ orgId, clusters }) => [orgId, ...clusters.map(({ row }) => row.name)]);
  return { found, organizations, calls };
}

describe('clusters that organization files name', () => {
  it('are found by their organization, whatever their labels; others and those that are gone are not', async () => {
    const { found, calls } = await discovered();
    expect(found).toEqual([
      ['org-1', 'a', 'b'],
      ['org-2', 'c'],
    ]);
    expect(calls.map(({ name }) => name)).toEqual(['listOrganizationSubscriptions', 'listClusters']);
  });

  it('are asked for only where somebody is served', async () => {
    const { found, calls } = await discovered({ serves: (orgId) => orgId === 'org-2' });
    expect([found, calls[0]?.args]).toEqual([[['org-2', 'c']], [['org-2']]]);
    expect((await discovered({ serves: () => false })).calls).toEqual([]);
  });

  it('are left out with AWS STS where that is asked for', async () => {
    expect((await discovered({ sts: false })).found[0]).toEqual(['org-1', 'a']);
  });

  it('cannot be told where a record cannot be read: that stays with its organization', async () => {
    const unread: Unread = { id: 'x', known: { organization_id: 'org-2' }, message: 'id: expected text' };
    const { organizations } = await discovered({
      intercept: (call, act) => {
        if (call.name !== 'listOrganizationSubscriptions') return act();
        return { items: (act() as Listed<unknown>).items, problems: [unread] };
      },
    });
    expect(organizations.map(({ orgId, faults }) => [orgId, faults.map(({ code }) => code)])).toEqual([
      ['org-1', []],
      ['org-2', ['OCM_RECORD_UNREADABLE']],
    ]);
  });
});
