import { targetOf } from '../desired/group.ts';
import type { Rendered } from '../desired/render.ts';
import type { ItemResult } from '../plan/execute.ts';
import { type FleetPlan, summaryOf } from '../plan/fleet-plan.ts';
import type { LiveCluster } from '../plan/observe.ts';
import { placeOf } from '../plan/places.ts';
import type { PlanItem } from '../plan/plan-item.ts';
import { matchShards } from '../status/shard-objects.ts';
import type { MetricsRegistry, Series } from './metrics-registry.ts';
import type { OperatedFleet } from './operated-fleet.ts';
import { type RolloutMetrics, rolloutMetrics } from './rollout-metrics.ts';

/** A request to a cluster. */
interface ClusterCall {
  readonly cluster: string;
  readonly method: string;
  readonly status?: number | undefined;
  readonly seconds: number;
}

/** The metrics of a manager's passes. */
export interface ManagerMetrics extends RolloutMetrics {
  planned(
    fleet: Pick<OperatedFleet, 'groups'>,
    rendered: Rendered,
    live: readonly LiveCluster[],
    plan: FleetPlan,
  ): void;
  applied(results: readonly ItemResult[]): void;
  called(call: ClusterCall): void;
}

/** A workload's state, by its action in the plan. */
const STATES: Readonly<Record<Exclude<PlanItem['action'], 'withhold'>, string>> = {
  keep: 'converged',
  hold: 'held',
  create: 'missing',
  update: 'lagging',
  adopt: 'foreign',
  recreate: 'lagging',
  delete: 'unexpected',
  conflict: 'conflict',
};

export function managerMetrics(metrics: MetricsRegistry): ManagerMetrics {
  const workloads = metrics.gauge('echelon_workloads', 'Objects by their state in the last plan', [
    'cluster',
    'namespace',
    'kind',
    'state',
  ]);
  const actions = metrics.gauge('echelon_plan_actions', 'Items of the last plan by action', ['action']);
  const revision = metrics.gauge('echelon_instance_revision_info', 'The instance that the last pass acted on', [
    'revision',
  ]);
  const images = metrics.gauge('echelon_shard_image_info', 'The image that a shard should run', [
    'integration',
    'shard',
    'cluster',
    'namespace',
    'name',
    'image_ref',
    'source',
  ]);
  const inventory = metrics.gauge(
    'qontract_reconcile_openshift_resource_inventory',
    'Current and desired objects of the manager',
    ['integration', 'cluster', 'namespace', 'kind', 'state'],
  );
  const applied = metrics.counter('echelon_apply_total', 'Plan items applied, by result', ['result']);
  const requests = metrics.counter('echelon_kube_requests_total', 'Requests to clusters', [
    'cluster',
    'method',
    'status',
  ]);
  for (const result of ['done', 'failed', 'skipped']) applied.inc({ result }, 0);
  return {
    ...rolloutMetrics(metrics),
    planned: (fleet, rendered, live, plan) => {
      workloads.replace(
        counted(
          plan.items.map((item) => ({
            cluster: item.cluster,
            namespace: item.namespace,
            kind: item.kind,
            state: STATES[item.action === 'withhold' ? item.withholds : item.action],
          })),
        ),
      );
      actions.replace(Object.entries(summaryOf(plan)).map(([action, value]) => ({ labels: { action }, value })));
      revision.replace([{ labels: { revision: plan.revision }, value: 1 }]);
      images.replace(imageSeries(fleet, rendered));
      inventory.replace(counted(inventoryOf(rendered, live)));
    },
    applied: (results) => {
      for (const { outcome } of results) applied.inc({ result: outcome });
    },
    called: ({ cluster, method, status }) => requests.inc({ cluster, method, status: String(status ?? 'none') }),
  };
}

function counted<Name extends string>(labels: readonly Readonly<Record<Name, string>>[]): Series<Name>[] {
  return [...Map.groupBy(labels, (one) => JSON.stringify(one)).values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [{ labels: first, value: group.length }];
  });
}

function imageSeries({ groups }: Pick<OperatedFleet, 'groups'>, { namespaces }: Rendered) {
  const desired = new Map(namespaces.map((namespace) => [placeOf(namespace), namespace.objects]));
  return groups.flatMap((group) =>
    matchShards(group, desired.get(targetOf(group.namespace)) ?? [], new Map())
      .shards.filter(({ shard }) => !shard.settings.disabled)
      .map(({ integration, shard, name }) => ({
        labels: {
          integration,
          shard: shard.name,
          cluster: group.namespace.cluster.name,
          namespace: group.namespace.name,
          name,
          image_ref: shard.settings.imageRef ?? 'default',
          source: shard.settings.imageFrom,
        },
        value: 1,
      })),
  );
}

function inventoryOf({ namespaces }: Rendered, live: readonly LiveCluster[]) {
  const integration = 'integrations-manager';
  const desired = namespaces.flatMap(({ cluster, namespace, objects }) =>
    objects.map(({ kind }) => ({ integration, cluster, namespace, kind, state: 'desired' })),
  );
  const current = live.flatMap(({ cluster, namespaces: seen }) =>
    seen.flatMap(({ namespace, objects }) =>
      objects.map(({ kind }) => ({ integration, cluster, namespace, kind, state: 'current' })),
    ),
  );
  return [...desired, ...current];
}
