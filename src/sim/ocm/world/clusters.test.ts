import { describe, expect, it } from 'vitest';
import { refusal } from '../../../../test/support/sim-ocm-requests.ts';
import { minute, smallWorld } from '../../../../test/support/sim-ocm-small-fleet.ts';
import type { World } from './world.ts';

describe('channels', () => {
  it('are told only where one cluster is read', () => {
    const world = smallWorld();
    expect(world.getCluster('c1').version.available_channels).toEqual(['candidate-4.18', 'stable-4.18']);
    for (const { version } of world.listClusters().items) expect(version).not.toHaveProperty('available_channels');
  });

  it('change what is offered', () => {
    const world = smallWorld();
    world.advanceTo(new Date(minute(8 * 1440)));
    expect(world.getCluster('c1').version.available_upgrades).toEqual(['4.18.4', '4.18.5', '4.18.6']);
    expect(world.patchCluster('c1', { channel: 'candidate-4.19' })).toMatchObject({
      channel: 'candidate-4.19',
      version: { channel_group: 'candidate', id: 'openshift-v4.18.3-candidate' },
    });
    expect(world.getCluster('c1').version.available_upgrades.at(-1)).toBe('4.19.1');
  });

  it.each([
    { body: { channel: 'stable-4.19' }, says: "not available for the desired channel 'stable-4.19'" },
    { body: { channel: 'odd-4.18' }, says: "not available for the desired channel group 'odd'" },
    { body: { version: { channel_group: 'fast' } }, says: "not available for the desired channel group 'fast'" },
    { body: { name: 'other' }, says: 'only channel' },
  ])('of $body are refused', ({ body, says }) => {
    expect(refusal(() => smallWorld().patchCluster('c1', body))?.message).toContain(says);
  });

  it('may be asked for only to see', () => {
    const world = smallWorld();
    expect(world.patchCluster('c1', { version: { channel_group: 'candidate' } }, true)).toBeUndefined();
    expect(world.getCluster('c1').channel).toBe('stable-4.18');
  });

  it('cannot be set by an account without an organization', () => {
    const nobody = { id: 'n', username: 'n', role: 'service', organizationId: undefined } as const;
    const error = refusal(() => smallWorld().as(nobody).patchCluster('c1', { channel: 'candidate-4.18' }));
    expect(error?.message).toContain('could not locate organization');
  });
});

describe('a list of clusters', () => {
  const offered = (world: World): readonly string[] =>
    world.listClusters({ search: "id = 'c1'" }).items[0]?.version.available_upgrades ?? [];

  it('offers a release from its day on, and not before', () => {
    const world = smallWorld();
    expect(offered(world)).toEqual(['4.18.4', '4.18.5']);
    world.advanceTo(new Date(minute(5 * 1440)));
    expect(offered(world)).toEqual(['4.18.4', '4.18.5', '4.18.6']);
    world.releaseVersion('4.18.7');
    expect(offered(world)).toEqual(['4.18.4', '4.18.5', '4.18.6', '4.18.7']);
    expect(
      world.asOf(new Date(minute(10))).listClusters({ search: "id = 'c1'" }).items[0]?.version.available_upgrades,
    ).toEqual(['4.18.4', '4.18.5']);
  });
});
