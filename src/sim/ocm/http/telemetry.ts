import type { World } from '../world/world.ts';

export const TELEMETRY_PATH = '/telemeter/api/v1/query';

const ALERT = 'SimulatedCriticalAlert';

/**
 * The response of a Prometheus to a query for critical alerts: one sample per unhealthy cluster. The expression is not
 * evaluated; when it contains ids of organizations of this world, only their clusters are in the response.
 */
export function telemetry(world: World, expression: string) {
  const named = [...world.state.organizations.all()].filter(({ id, externalId, ebsAccountId }) =>
    [id, externalId, ebsAccountId].some((each) => expression.includes(each)),
  );
  const wanted = new Set(named.map(({ id }) => id));
  const clusters = world
    .unhealthyClusters()
    .filter(({ organizationId }) => wanted.size === 0 || wanted.has(organizationId));
  const at = world.now().getTime() / 1000;
  const result = clusters.map(({ externalId }) => ({
    metric: { _id: externalId, alertname: ALERT },
    value: [at, '1'] as const,
  }));
  return { status: 'success', data: { resultType: 'vector', result } };
}
