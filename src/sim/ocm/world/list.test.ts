import { describe, expect, it } from 'vitest';
import { refusal } from '../../../../test/support/sim-ocm-requests.ts';
import { manyClusters, smallWorld } from '../../../../test/support/sim-ocm-small-fleet.ts';
import { parseFleet } from '../fleet/read-fleet.ts';
import { createWorld, type World } from './world.ts';

const world = createWorld(parseFleet(manyClusters(250)));

function names(from: World, query: Parameters<World['listClusters']>[0]): string[] {
  return from.listClusters(query).items.map(({ name }) => name);
}

describe('pages', () => {
  it.each([
    { query: {}, page: 1, size: 100 },
    { query: { page: 3 }, page: 3, size: 50 },
    { query: { page: 4 }, page: 4, size: 0 },
    { query: { page: 5, size: 50 }, page: 5, size: 50 },
    { query: { page: 6, size: 50 }, page: 6, size: 0 },
    { query: { size: 0 }, page: 1, size: 0 },
    { query: { size: -1 }, page: 1, size: 250 },
    { query: { size: 1_000_000 }, page: 1, size: 250 },
  ])('of $query: page $page has $size of 250', ({ query, page, size }) => {
    const found = world.listClusters({ order: 'id', ...query });
    expect(found).toMatchObject({ kind: 'ClusterList', page, size, total: 250 });
    expect(found.items).toHaveLength(size);
  });

  it.each([{ page: 0 }, { page: -1 }, { page: 1.5 }, { size: 2.5 }])('cannot be %o', (query) => {
    expect(refusal(() => world.listClusters(query))).toMatchObject({ status: 400, code: 'CLUSTERS-MGMT-400' });
  });

  it('are no larger than the limit', () => {
    const capped = createWorld(parseFleet(manyClusters(30)), 1, { limits: { pageSize: 20 } });
    expect(capped.listClusters({ size: 100 }).size).toBe(20);
    expect(capped.listClusters({ size: -1 }).size).toBe(20);
  });

  it('with an order by id have every cluster once', () => {
    const pages = [1, 2, 3].flatMap((page) => names(world, { order: 'id', page }));
    expect(new Set(pages).size).toBe(250);
  });

  it('without an order come in another one each time', () => {
    expect(names(world, { size: -1 })).not.toEqual(names(world, { size: -1 }));
    expect(names(world, { size: -1 }).toSorted()).toEqual(names(world, { size: -1 }).toSorted());
  });

  it('with an order that does not tell rows apart tear, too', () => {
    expect(names(world, { order: 'state', size: -1 })).not.toEqual(names(world, { order: 'state', size: -1 }));
  });

  it('are the same for the same seed', () => {
    const [one, other] = [1, 1].map((seed) => createWorld(parseFleet(manyClusters(30)), seed));
    expect(names(one as World, {})).toEqual(names(other as World, {}));
  });
});

describe('a list', () => {
  it('finds what changed since it was asked for the last time', () => {
    const small = smallWorld();
    const search = "key like '%sector%'";
    expect(small.listLabels({ search }).total).toBe(1);
    small.setLabel({ type: 'Organization', id: 'org-1' }, 'a.sector', 'x');
    expect(small.listLabels({ search }).total).toBe(2);
  });

  it.each([
    {
      call: (w: World) => w.listLabels({ search: 'key ==' }),
      code: 'ACCT-MGMT-23',
      reason: 'Failed to parse search query: key ==',
    },
    {
      call: (w: World) => w.listClusters({ search: 'x y' }),
      code: 'CLUSTERS-MGMT-400',
      reason: 'Failed to parse search query: x y',
    },
    {
      call: (w: World) => w.listClusters({ search: "x = 'y'" }),
      code: 'CLUSTERS-MGMT-400',
      reason: 'x is not a valid field name',
    },
    { call: (w: World) => w.listLabels({ order: 'key up' }), code: 'ACCT-MGMT-21', reason: "bad order value 'key up'" },
    {
      call: (w: World) => w.listSubscriptions({ order: 'x' }),
      code: 'ACCT-MGMT-21',
      reason: 'x is not a valid field name',
    },
    {
      call: (w: World) => w.listLogs({ search: '(' }),
      code: 'SERVICE-LOGS-23',
      reason: 'Failed to parse search query: (',
    },
    { call: (w: World) => w.listSubscriptions({ labels: 'x' }), code: 'ACCT-MGMT-21', reason: "bad labels value 'x'" },
  ])('refuses with $code: $reason', ({ call, code, reason }) => {
    expect(refusal(() => call(world))).toMatchObject({ status: 400, code, message: reason });
  });

  it.each([
    ["id = 'c1'", ['classic']],
    ["id in ('h1', 'c1', 'c1', 'none')", ['classic', 'hosted']],
    ["name = 'hosted' and managed = true", ['hosted']],
    ["organization.id = 'org-1' and hypershift.enabled = 'false'", ['classic']],
    ["product.id in ('osd','rosa') and state='ready'", ['classic', 'hosted']],
    ["product.id = 'osd' or name = 'hosted'", ['classic', 'hosted']],
    ["aws.sts.role_arn like 'arn:%'", ['hosted']],
    ["external_id is 'x'", []],
    ["creation_timestamp >= '2019-03-01'", ['classic', 'hosted']],
    ["properties.rosa_creator_arn like '%'", []],
  ])('of clusters where %s has %j', (search, expected) => {
    expect(names(smallWorld(), { search }).toSorted()).toEqual(expected);
  });
});

describe('subscriptions', () => {
  const two = smallWorld({
    environments: [
      {
        name: 'test',
        organizations: [
          {
            id: 'org-1',
            name: 'First',
            capabilities: { 'capability.organization.x': 'true' },
            clusters: [
              {
                name: 'a',
                version: '4.18.1',
                labels: { k1: 'v1', k2: 'v2' },
                capabilities: { 'capability.cluster.y': 'true' },
              },
              { name: 'b', version: '4.18.1', labels: { k1: 'v2' }, status: 'Stale', health: 'unhealthy' },
              { name: 'c', version: '4.18.1' },
            ],
          },
        ],
      },
    ],
  });

  it.each([
    ["labels.key = 'k1' and labels.value = 'v1'", ['a']],
    ["labels.key = 'k1' and labels.value = 'v2'", ['b']],
    ["subscription_labels.key = 'k1'", ['a', 'b']],
    ['labels.key is null', ['c']],
    ["status in ('Active', 'Reserved')", ['a', 'c']],
    ["metrics.health_state = 'unhealthy'", ['b']],
    ["display_name = 'a' or cluster_id = 'a'", ['a']],
    ["plan.id = 'MOA' and organization_id = 'org-1'", ['a', 'b', 'c']],
  ])('where %s are %j', (search, expected) => {
    expect(two.listSubscriptions({ search, order: 'display_name' }).items.map((each) => each.display_name)).toEqual(
      expected,
    );
  });

  it('with all of some labels', () => {
    expect(two.listSubscriptions({ labels: 'k1=v1,k2=v2' }).items.map((each) => each.display_name)).toEqual(['a']);
    expect(two.listSubscriptions({ labels: 'k1=v2,k2=v2' }).total).toBe(0);
  });

  it('carry labels and capabilities only where they are asked for', () => {
    const [lean] = two.listSubscriptions({ search: "display_name = 'a'" }).items;
    expect(lean).not.toHaveProperty('labels');
    const query = { search: "display_name = 'a'", fetchLabels: true, fetchCapabilities: true, fetchOrganization: true };
    const [full] = two.listSubscriptions(query).items;
    expect(full?.labels?.map(({ key }) => key)).toEqual(['k1', 'k2']);
    expect(full?.capabilities?.map(({ name, inherited }) => [name, inherited])).toEqual([
      ['capability.cluster.y', false],
      ['capability.organization.x', true],
    ]);
    expect(full?.organization?.name).toBe('First');
  });
});
