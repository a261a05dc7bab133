import { describe, expect, it } from 'vitest';
import { cluster } from '../../../test/support/upgrade-facts.ts';
import type { OrgSpec } from '../policies/org-spec.ts';
import { type ClusterState, laggingPool, nextChannel, offeredChannel, orgFacts, versionsAhead } from './facts.ts';
import { EMPTY_LEDGER } from './soak.ts';

const { policy, ...state } = cluster('a');
const key = { id: state.id, uuid: state.uuid, name: state.name };
const AROUND = { policies: [], gates: [], agreements: new Map(), ledger: EMPTY_LEDGER, inherited: [] };

function join(clusters: OrgSpec['clusters'], states = [state]) {
  const spec = {
    orgId: 'o1' as OrgSpec['orgId'],
    blockedVersions: ['rc'],
    freezes: [],
    sectors: [],
    inherit: [],
    clusters,
    problems: [],
  };
  return orgFacts(spec, states, AROUND);
}

describe('facts of an organization', () => {
  it.each([
    { given: 'ready', states: [state], clusters: [{ ...state, policy }], held: [] },
    {
      given: 'hibernating',
      states: [{ ...state, state: 'hibernating' }],
      clusters: [],
      held: [{ ...state, state: 'hibernating', known: policy, held: 'it is hibernating' }],
    },
    { given: 'not there', states: [], clusters: [], held: [] },
  ])('have a cluster that is $given', ({ states, clusters, held }) => {
    expect(join([{ ...key, policy }], states)).toMatchObject({ clusters, held, blockedVersions: ['rc'] });
  });

  it('hold a cluster whose policy could not be read', () => {
    expect(join([{ ...key, known: { sector: 's' }, held: 'bad label' }]).held).toEqual([
      { ...state, known: { sector: 's' }, held: 'bad label' },
    ]);
  });
});

const VERSION = '4.14.2';

describe('a node pool that is behind', () => {
  it.each([
    { given: 'none is', nodePools: ['4.14.2', '4.14.3'], pool: undefined },
    { given: 'two are', nodePools: ['4.14.2', '4.14.1', '4.14.0'], pool: 'np2' },
    { given: 'there are none', nodePools: [], pool: undefined },
  ])('is $pool when $given', ({ nodePools, pool }) => {
    expect(laggingPool(cluster('h', { version: VERSION, nodePools, hosted: true }))?.id).toBe(pool);
  });

  it('is nothing to a cluster that has its control plane itself', () => {
    expect(laggingPool(cluster('c', { version: VERSION, nodePools: ['4.14.1'], hosted: false }))).toBeUndefined();
  });

  it.each([
    { nodePools: ['4.14.1'], offered: ['4.14.3'], ahead: ['4.14.2', '4.14.3'] },
    { nodePools: ['4.14.1'], offered: ['4.14.3', '4.14.2'], ahead: ['4.14.3', '4.14.2'] },
    { nodePools: ['4.14.2'], offered: ['4.14.3'], ahead: ['4.14.3'] },
  ])('with $nodePools and $offered offered has $ahead ahead', ({ nodePools, offered, ahead }) => {
    expect(versionsAhead(cluster('h', { version: VERSION, nodePools, availableUpgrades: offered }))).toEqual(ahead);
  });
});

describe('the next channel', () => {
  it.each([
    { channel: 'stable-4.14', next: 'stable-4.15' },
    { channel: 'fast-4.9', next: 'fast-4.10' },
    { channel: 'eus-4.14', next: 'eus-4.16' },
    { channel: 'eus-4.13', next: 'eus-4.14' },
    { channel: 'a-b-4.1', next: 'a-b-4.2' },
    { channel: 'stable', next: undefined },
    { channel: '4.20', next: undefined },
    { channel: 'stable-4.x', next: undefined },
    { channel: '', next: undefined },
  ])('of "$channel" is $next', ({ channel, next }) => {
    expect(nextChannel(channel)).toBe(next);
  });

  it.each([
    { offered: ['stable-4.14', 'stable-4.15'], to: 'stable-4.15' },
    { offered: ['stable-4.14', 'eus-4.16'], to: undefined },
    { offered: [], to: undefined },
  ])('with $offered offered is $to', ({ offered, to }) => {
    expect(offeredChannel({ channel: 'stable-4.14', availableChannels: offered } as unknown as ClusterState)).toBe(to);
  });
});
