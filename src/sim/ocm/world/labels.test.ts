import { describe, expect, it } from 'vitest';
import { smallWorld } from '../../../../test/support/sim-ocm-small-fleet.ts';
import type { Account, Owner } from '../model.ts';
import { SimOcmError } from '../ocm-error.ts';
import type { OcmCalls } from './calls.ts';
import type { World } from './world.ts';

const ORGANIZATION: Owner = { type: 'Organization', id: 'org-1' };
const account = (role: Account['role'], organizationId?: string): Account => ({
  id: 'me',
  username: 'me',
  role,
  organizationId,
});
const ADMIN = account('admin', 'org-1');
const VIEWER = account('viewer', 'org-1');
const STRANGER = account('admin', 'org-2');

function outcome(work: () => unknown): string {
  try {
    work();
    return 'done';
  } catch (thrown) {
    return thrown instanceof SimOcmError ? `${thrown.status} ${thrown.code}` : String(thrown);
  }
}

describe('a label', () => {
  it('is created, then replaced under the same id', () => {
    const world = smallWorld();
    const first = world.postLabel(ORGANIZATION, { key: 'k', value: '1' });
    world.advanceTo(new Date('2026-03-02T01:00:00Z'));
    const second = world.postLabel(ORGANIZATION, { kind: 'Label', key: 'k', value: '2' });
    expect([first.created, second.created]).toEqual([true, false]);
    expect(second.label).toMatchObject({ id: first.label.id, value: '2', created_at: first.label.created_at });
    expect(second.label.updated_at).toBe('2026-03-02T01:00:00.000000Z');
    expect(world.listOwnerLabels(ORGANIZATION, { search: "key = 'k'" }).items).toEqual([second.label]);
  });

  it('is patched at its key, whether it was there or not', () => {
    const world = smallWorld();
    expect(world.patchLabel(ORGANIZATION, 'k', { value: '1' }).label.value).toBe('1');
    expect(world.patchLabel(ORGANIZATION, 'k', { key: 'k', value: '2' }).label.value).toBe('2');
    expect(world.getLabel(ORGANIZATION, 'k').href).toBe('/api/accounts_mgmt/v1/organizations/org-1/labels/k');
  });

  it('is gone after it was deleted', () => {
    const world = smallWorld();
    world.postLabel(ORGANIZATION, { key: 'k', value: '1' });
    world.deleteLabel(ORGANIZATION, 'k');
    expect(outcome(() => world.getLabel(ORGANIZATION, 'k'))).toBe('404 ACCT-MGMT-7');
    expect(outcome(() => world.deleteLabel(ORGANIZATION, 'k'))).toBe('404 ACCT-MGMT-7');
  });

  it('of a subscription names the subscription', () => {
    const world = smallWorld();
    const { subscriptionId } = world.cluster('classic');
    const { label } = world.postLabel({ type: 'Subscription', id: subscriptionId }, { key: 'k', value: 'v' });
    expect(label).toMatchObject({
      type: 'Subscription',
      subscription_id: subscriptionId,
      internal: false,
      managed_by: 'User',
    });
    expect(label).not.toHaveProperty('organization_id');
  });

  it.each([
    { body: { key: 'sre-capabilities.aus.sector-deps.a_b', value: 'x' }, is: 'done' },
    { body: { key: 'k', value: '^4\\.1[0-9], "a" \'b\'' }, is: 'done' },
    { body: { key: 'k', value: '' }, is: 'done' },
    { body: { key: 'k', value: 'x'.repeat(4_096) }, is: 'done' },
    { body: { key: 'k', value: 'x'.repeat(4_097) }, is: '400 ACCT-MGMT-8' },
    { body: { key: 'k' }, is: '400 ACCT-MGMT-8' },
    { body: { value: 'x' }, is: '400 ACCT-MGMT-8' },
    { body: { key: 'a/b', value: 'x' }, is: '400 ACCT-MGMT-8' },
    { body: { key: 'a b', value: 'x' }, is: '400 ACCT-MGMT-8' },
    { body: { key: '.a', value: 'x' }, is: '400 ACCT-MGMT-8' },
    { body: { key: 'x'.repeat(256), value: 'x' }, is: '400 ACCT-MGMT-8' },
    { body: { key: 'k', value: 5 }, is: '400 ACCT-MGMT-17' },
    { body: { key: 'k', value: 'x', internal: 'yes' }, is: '400 ACCT-MGMT-17' },
  ])('of $body is $is', ({ body, is }) => {
    expect(outcome(() => smallWorld().postLabel(ORGANIZATION, body))).toBe(is);
  });

  it('cannot be moved to another key', () => {
    expect(outcome(() => smallWorld().patchLabel(ORGANIZATION, 'k', { key: 'l', value: 'x' }))).toBe('400 ACCT-MGMT-8');
  });

  it('that configuration manages cannot be changed', () => {
    const world = smallWorld();
    const [label] = world.state.labels.by('owner', 'Organization/org-1');
    if (label === undefined) throw new Error('the organization has a label');
    world.state.labels.put({ ...label, managedBy: 'Config' }, 0);
    expect(outcome(() => world.patchLabel(ORGANIZATION, label.key, { value: 'x' }))).toBe('409 ACCT-MGMT-6');
  });

  it.each([
    {
      who: ADMIN,
      does: 'writes',
      call: (c: OcmCalls) => c.postLabel(ORGANIZATION, { key: 'k', value: 'v' }),
      is: 'done',
    },
    {
      who: ADMIN,
      does: 'hides',
      call: (c: OcmCalls) => c.postLabel(ORGANIZATION, { key: 'k', value: 'v', internal: true }),
      is: '403 ACCT-MGMT-11',
    },
    { who: VIEWER, does: 'reads', call: (c: OcmCalls) => c.listOwnerLabels(ORGANIZATION), is: 'done' },
    {
      who: VIEWER,
      does: 'writes',
      call: (c: OcmCalls) => c.postLabel(ORGANIZATION, { key: 'k', value: 'v' }),
      is: '403 ACCT-MGMT-11',
    },
    { who: VIEWER, does: 'deletes', call: (c: OcmCalls) => c.deleteLabel(ORGANIZATION, 'k'), is: '403 ACCT-MGMT-11' },
    { who: STRANGER, does: 'reads', call: (c: OcmCalls) => c.listOwnerLabels(ORGANIZATION), is: '403 ACCT-MGMT-11' },
    {
      who: STRANGER,
      does: 'writes',
      call: (c: OcmCalls) => c.postLabel(ORGANIZATION, { key: 'k', value: 'v' }),
      is: '403 ACCT-MGMT-11',
    },
    {
      who: ADMIN,
      does: 'asks for nobody',
      call: (c: OcmCalls) => c.listOwnerLabels({ type: 'Organization', id: 'x' }),
      is: '404 ACCT-MGMT-7',
    },
  ])('$who.role of $who.organizationId $does: $is', ({ who, call, is }) => {
    expect(outcome(() => call(smallWorld().as(who)))).toBe(is);
  });

  it('says who was denied what', () => {
    expect(() => smallWorld().as(STRANGER).postLabel(ORGANIZATION, { key: 'k', value: 'v' })).toThrow(
      'Account with ID me denied access to perform create on OrganizationLabel with HTTP call POST /api/accounts_mgmt/v1/organizations/org-1/labels',
    );
  });

  it('is seen only by those who may', () => {
    const world: World = smallWorld();
    world.postLabel(ORGANIZATION, { key: 'k', value: 'v', internal: true });
    const keys = (calls: OcmCalls): string[] =>
      calls.listLabels({ search: "type = 'Organization'" }).items.map(({ key }) => key);
    expect(keys(world)).toContain('k');
    expect(keys(world.as(ADMIN))).not.toContain('k');
    expect(keys(world.as(ADMIN))).toHaveLength(1);
    expect(keys(world.as(STRANGER))).toEqual([]);
  });
});
