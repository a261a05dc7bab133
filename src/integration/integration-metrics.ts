import type { Metrics } from '../runtime/index.ts';

export interface IntegrationMetrics {
  keys(sizes: { readonly desired: number; readonly observed: number }): void;
  action(result: 'applied' | 'failed' | 'planned', by: number): void;
}

export function integrationMetrics(metrics: Pick<Metrics, 'gauge' | 'counter'>): IntegrationMetrics {
  const keys = metrics.gauge('echelon_integration_keys', 'Keys of this shard, declared and observed', ['state']);
  const actions = metrics.counter('echelon_integration_actions_total', 'Actions by result', ['result']);
  for (const result of ['applied', 'failed', 'planned']) actions.inc({ result }, 0);
  return {
    keys: (sizes) => keys.replace(Object.entries(sizes).map(([state, value]) => ({ labels: { state }, value }))),
    action: (result, by) => actions.inc({ result }, by),
  };
}
