import { describe, expect, it } from 'vitest';
import { refusal } from '../../../../test/support/sim-ocm-requests.ts';
import { minute, smallWorld } from '../../../../test/support/sim-ocm-small-fleet.ts';
import type { World } from './world.ts';

const account = (role: 'admin' | 'viewer', organizationId: string) => ({
  id: 'me',
  username: 'me',
  role,
  organizationId,
});

function entry(world: World, more: Readonly<Record<string, unknown>> = {}) {
  const { externalId } = world.cluster('c1');
  return {
    cluster_uuid: externalId,
    service_name: 'aus',
    summary: 'It is wrong',
    description: "it's\n- this",
    severity: 'Error',
    ...more,
  };
}

describe('a service log', () => {
  it('is answered with everything about it', () => {
    const world = smallWorld();
    const log = world.createLog(entry(world));
    const { externalId, subscriptionId } = world.cluster('c1');
    expect(log).toMatchObject({
      kind: 'ClusterLog',
      cluster_id: 'c1',
      cluster_uuid: externalId,
      subscription_id: subscriptionId,
      internal_only: false,
      severity: 'Error',
      created_at: '2026-03-02T00:00:00.000000Z',
    });
    expect(world.getLog(log.id)).toEqual(log);
  });

  it('is found by what it says, for so long as is asked for', () => {
    const world = smallWorld();
    const { cluster_uuid } = entry(world);
    world.createLog(entry(world));
    world.advanceTo(new Date(minute(60)));
    const equal = "description='it''s\n- this' and service_name='aus' and severity='Error' and summary='It is wrong'";
    const since = (time: string) =>
      world.listClusterLogs({ clusterUuid: cluster_uuid }, { search: `created_at >= '${time}' and ${equal}` }).total;
    expect(since('2026-03-01T01:00:00+00:00')).toBe(1);
    expect(since('2026-03-02T00:00:01+00:00')).toBe(0);
  });

  it('is read by owners unless it is internal', () => {
    const world = smallWorld();
    world.createLog(entry(world));
    const hidden = world.createLog(entry(world, { internal_only: true }));
    expect(world.listLogs().total).toBe(2);
    expect(world.listClusterLogs({ clusterId: 'c1' }).total).toBe(1);
    const admin = world.as(account('admin', 'org-1'));
    expect(admin.listClusterLogs({ clusterId: 'c1' }).total).toBe(1);
    expect(refusal(() => admin.listLogs())?.status).toBe(403);
    expect(refusal(() => admin.getLog(hidden.id))?.status).toBe(404);
    expect(world.as(account('admin', 'other')).listClusterLogs({ clusterId: 'c1' }).total).toBe(0);
  });

  it.each([
    { more: { severity: 'Loud' }, says: "severity 'Loud' is not valid" },
    { more: { severity: undefined }, says: 'severity is required' },
    { more: { summary: '' }, says: 'summary is required' },
    { more: { service_name: undefined }, says: 'service_name is required' },
    { more: { cluster_uuid: undefined }, says: 'cluster_id or cluster_uuid is required' },
    { more: { cluster_uuid: 'none' }, says: "no cluster 'none'" },
    { more: { timestamp: 'now' }, says: "timestamp 'now' is not valid" },
  ])('with $more is refused: $says', ({ more, says }) => {
    const world = smallWorld();
    expect(refusal(() => world.createLog(entry(world, more)))).toMatchObject({ status: 400, message: says });
  });

  it.each(['Moderate', 'Important', 'Low', 'Critical', 'Info', 'Fatal'])('may be %s', (severity) => {
    const world = smallWorld();
    expect(world.createLog(entry(world, { severity })).severity).toBe(severity);
  });

  it('cannot be asked for without a cluster', () => {
    expect(refusal(() => smallWorld().listClusterLogs({}))?.status).toBe(400);
  });

  it('is deleted by services only', () => {
    const world = smallWorld();
    const { id } = world.createLog(entry(world));
    expect(refusal(() => world.as(account('admin', 'org-1')).deleteLog(id))?.status).toBe(403);
    world.deleteLog(id);
    expect(refusal(() => world.getLog(id))?.status).toBe(404);
  });

  it('cannot be written by somebody who may only look', () => {
    const world = smallWorld();
    expect(refusal(() => world.as(account('viewer', 'org-1')).createLog(entry(world)))?.status).toBe(403);
  });
});
