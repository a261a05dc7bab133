import { beforeEach, describe, expect, it } from 'vitest';
import { fleetWith, managedOnce } from '../../../test/support/fleet.ts';
import { ref } from '../../../test/support/hand-made-snapshot.ts';
import { createMetrics, type Metrics } from '../../runtime/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import type { Rendered } from '../desired/render.ts';
import { selectWorkloads } from '../desired/select.ts';
import type { FleetPlan } from '../plan/fleet-plan.ts';
import type { LiveCluster } from '../plan/observe.ts';
import type { PlanItem } from '../plan/plan-item.ts';
import { type ManagerMetrics, managerMetrics } from './manager-metrics.ts';
import type { OperatedFleet } from './operated-fleet.ts';
import { managerSettings } from './settings.ts';

let metrics: Metrics;
let own: ManagerMetrics;
beforeEach(async () => {
  metrics = await createMetrics({ integration: 'integrations-manager', shards: 1, shardId: 0, processMetrics: false });
  own = managerMetrics(metrics);
});

/** The series of a metric, as a scrape sees them. */
async function series(name: string): Promise<string[]> {
  const lines = (await metrics.render()).split('\n').filter((line) => line.startsWith(`${name}{`));
  return lines.map((line) => line.slice(name.length)).toSorted();
}

const PLACE = { cluster: 'c', namespace: 'n', kind: 'Deployment' };
const item = (action: PlanItem['action'], more: object = {}): PlanItem =>
  ({ ...PLACE, name: 'x', action, ...more }) as PlanItem;
const planOf = (...items: readonly PlanItem[]): FleetPlan => ({
  revision: 'r1',
  scope: {},
  items,
  failures: [],
  breaches: [],
  removals: [],
  blind: [],
});
const EMPTY: Rendered = { namespaces: [], failures: [] };

function context(overrides: readonly object[] = [], spec: object = {}): OperatedFleet {
  const sharding = { strategy: 'per-aws-account', shardSpecOverrides: overrides };
  const instance = fleetWith({ '/i.yml': managedOnce({ spec: spec as never, sharding }) });
  return {
    instance,
    groups: selectWorkloads(instance, {}).groups,
    scope: {},
    settings: managerSettings({}, {}),
    problems: [],
  };
}
const NOTHING: OperatedFleet = { ...context(), groups: [] };

describe('after a plan', () => {
  it('objects are counted by what it says of them', async () => {
    const items = [
      item('keep'),
      item('keep', { name: 'y' }),
      item('keep', { namespace: 'm' }),
      item('create'),
      item('update'),
      item('recreate'),
      item('adopt'),
      item('delete'),
      item('withhold', { withholds: 'delete' }),
      item('conflict', { kind: 'Service' }),
    ];
    own.planned(NOTHING, EMPTY, [], planOf(...items));
    expect(await series('echelon_workloads')).toEqual([
      '{cluster="c",namespace="m",kind="Deployment",state="converged"} 1',
      '{cluster="c",namespace="n",kind="Deployment",state="converged"} 2',
      '{cluster="c",namespace="n",kind="Deployment",state="foreign"} 1',
      '{cluster="c",namespace="n",kind="Deployment",state="lagging"} 2',
      '{cluster="c",namespace="n",kind="Deployment",state="missing"} 1',
      '{cluster="c",namespace="n",kind="Deployment",state="unexpected"} 2',
      '{cluster="c",namespace="n",kind="Service",state="conflict"} 1',
    ]);
    expect(await series('echelon_plan_actions')).toEqual([
      '{action="adopt"} 1',
      '{action="conflict"} 1',
      '{action="create"} 1',
      '{action="delete"} 1',
      '{action="hold"} 0',
      '{action="keep"} 3',
      '{action="recreate"} 1',
      '{action="update"} 1',
      '{action="withhold"} 1',
    ]);
    expect(await series('echelon_instance_revision_info')).toEqual(['{revision="r1"} 1']);
  });

  it('only the last one counts', async () => {
    own.planned(NOTHING, EMPTY, [], planOf(item('create')));
    own.planned(NOTHING, EMPTY, [], { ...planOf(item('keep')), revision: 'r2' });
    expect(await series('echelon_workloads')).toEqual([
      '{cluster="c",namespace="n",kind="Deployment",state="converged"} 1',
    ]);
    expect(await series('echelon_instance_revision_info')).toEqual(['{revision="r2"} 1']);
    expect(await series('echelon_plan_actions')).toContain('{action="create"} 0');
  });

  it('each shard that is not disabled has its image and where that comes from', async () => {
    const overrides = [
      { shard: ref('/aws/acc-1.yml'), imageRef: 'pinned' },
      { shard: ref('/aws/acc-2.yml'), disabled: true },
    ];
    own.planned(context(overrides), EMPTY, [], planOf());
    const images = await series('echelon_shard_image_info');
    expect(images.filter((line) => line.includes('acc-1'))).toEqual([
      '{integration="mine",shard="acc-1",cluster="lab",namespace="ns",name="qontract-reconcile-mine-acc-1",image_ref="pinned",source="override"} 1',
    ]);
    expect(images.filter((line) => line.includes('acc-2'))).toEqual([]);
    expect(images.filter((line) => line.includes('image_ref="default",source="default"')).length).toBeGreaterThan(0);
    own.planned(context([], { imageRef: 'v2' }), EMPTY, [], planOf());
    expect(
      (await series('echelon_shard_image_info')).every((line) => line.includes('image_ref="v2",source="spec"')),
    ).toBe(true);
  });

  it('objects are counted as existing dashboards do, wanted and seen', async () => {
    const object = (kind: string): KubeObject => ({ apiVersion: 'v1', kind, metadata: { name: 'x' } });
    const rendered: Rendered = {
      namespaces: [
        {
          ...PLACE,
          file: '',
          environment: 'e',
          objects: [object('Deployment'), object('Deployment'), object('Service')],
        },
      ],
      failures: [],
    };
    const live: LiveCluster[] = [
      {
        cluster: 'c',
        namespaces: [{ ...PLACE, objects: [object('Deployment')] }],
        elsewhere: [{ ...PLACE, namespace: 'old', objects: [object('CronJob')] }],
        failures: [],
      },
    ];
    own.planned(NOTHING, rendered, live, planOf());
    expect(await series('qontract_reconcile_openshift_resource_inventory')).toEqual([
      '{integration="integrations-manager",cluster="c",namespace="n",kind="Deployment",state="current"} 1',
      '{integration="integrations-manager",cluster="c",namespace="n",kind="Deployment",state="desired"} 2',
      '{integration="integrations-manager",cluster="c",namespace="n",kind="Service",state="desired"} 1',
    ]);
  });
});

it('what is carried out is counted by its result, from zero on', async () => {
  expect(await series('echelon_apply_total')).toEqual([
    '{result="done"} 0',
    '{result="failed"} 0',
    '{result="skipped"} 0',
  ]);
  own.applied([
    { item: item('create'), outcome: 'done' },
    { item: item('create'), outcome: 'done' },
    { item: item('delete'), outcome: 'skipped' },
  ]);
  own.applied([{ item: item('create'), outcome: 'failed' }]);
  expect(await series('echelon_apply_total')).toEqual([
    '{result="done"} 2',
    '{result="failed"} 1',
    '{result="skipped"} 1',
  ]);
});

it('requests to clusters are counted, also those without an answer', async () => {
  own.called({ cluster: 'c', method: 'GET', status: 200, seconds: 1 });
  own.called({ cluster: 'c', method: 'GET', status: 200, seconds: 1 });
  own.called({ cluster: 'c', method: 'PATCH', seconds: 1 });
  expect(await series('echelon_kube_requests_total')).toEqual([
    '{cluster="c",method="GET",status="200"} 2',
    '{cluster="c",method="PATCH",status="none"} 1',
  ]);
});
