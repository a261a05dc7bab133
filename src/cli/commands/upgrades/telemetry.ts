import { EchelonError } from '../../../base/index.ts';
import { type PrometheusOptions, prometheusQuery } from '../../../clients/prometheus/index.ts';
import type { HealthProvider } from '../../../upgrades/index.ts';

interface TelemetryOptions extends PrometheusOptions {
  /** `{organization}` is replaced by the organization's OCM id. Samples have the UUID of the cluster as `_id`. */
  readonly query?: string;
}

/**
 * Telemeter names the OCM id of the organization `organization`; `external_organization` and `ebs_account` are other ids. Only
 * presence counts in `ocm_subscription`: its value may be 0, and a cluster may have several of its series.
 */
const QUERY =
  'count by (_id) (alerts{alertstate="firing",severity="critical"} and on (_id) ocm_subscription{organization="{organization}"})';

/** Clusters with a critical alert, according to a Prometheus with data of all clusters. */
export function telemetry({ query = QUERY, ...options }: TelemetryOptions): HealthProvider {
  const ask = prometheusQuery(options);
  return {
    unhealthy: async ({ orgId }) => {
      const samples = await ask(query.replaceAll('{organization}', () => quoted(orgId)));
      return new Map(
        samples
          .filter(({ value }) => value > 0)
          .map(({ metric, value }) => [clusterOf(metric), `critical alerts are firing: ${value}`]),
      );
    },
  };
}

/** As the text of a string in PromQL. */
function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function clusterOf({ _id: id }: Readonly<Record<string, string>>): string {
  if (id !== undefined) return id;
  throw new EchelonError({
    code: 'TELEMETRY_FAILED',
    message: 'the telemetry query returns a sample without the label _id',
    hint: 'use a query whose samples have the cluster UUID as _id',
  });
}
