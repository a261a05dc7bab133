import { EchelonError } from '../../../base/index.ts';
import { type PrometheusOptions, prometheusQuery } from '../../../clients/prometheus/index.ts';
import type { HealthProvider } from '../../../upgrades/index.ts';

interface TelemetryOptions extends PrometheusOptions {
  /** `{organization}` stands for the id of the organization. Samples have the UUID of the cluster as `_id`. */
  readonly query?: string;
}

const QUERY =
  'count by (_id) (alerts{alertstate="firing",severity="critical"} and on (_id) ocm_subscription{organization_id="{organization}"})';

/** Clusters with a critical alert, according to a Prometheus with data of all clusters. */
export function telemetry({ query = QUERY, ...options }: TelemetryOptions): HealthProvider {
  const ask = prometheusQuery(options);
  return {
    unhealthy: async ({ orgId }) => {
      const samples = await ask(query.replaceAll('{organization}', orgId));
      return new Map(
        samples
          .filter(({ value }) => value > 0)
          .map(({ metric, value }) => [clusterOf(metric), `critical alerts are firing: ${value}`]),
      );
    },
  };
}

function clusterOf({ _id: id }: Readonly<Record<string, string>>): string {
  if (id !== undefined) return id;
  throw new EchelonError({
    code: 'TELEMETRY_FAILED',
    message: 'the telemetry query returns a sample without the label _id',
    hint: 'use a query whose samples have the cluster UUID as _id',
  });
}
