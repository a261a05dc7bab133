import type { DiscoveredCluster } from './discover.ts';
import { about, type Fault, faultOf } from './fault.ts';
import type { HealthCheck, HealthProvider, ServedOrganization } from './site.ts';

/** What one check reports about one cluster, for metrics. */
interface HealthState {
  readonly uuid: string;
  readonly source: string;
  readonly healthy: boolean;
}

export interface Health {
  /** By UUID, failures of enforced checks. */
  readonly objections: ReadonlyMap<string, string>;
  readonly states: readonly HealthState[];
  readonly faults: readonly Fault[];
}

/** OCM's own health status; costs no further call. */
const OCM = 'ocm';

/**
 * Queries the checks of an organization. While an enforced check cannot be queried, no cluster counts as healthy: none earns
 * soak or is upgraded, and users are not notified, since the fault is not theirs.
 */
export async function readHealth(
  organization: ServedOrganization,
  clusters: readonly DiscoveredCluster[],
  providers: ReadonlyMap<string, HealthProvider>,
): Promise<Health> {
  const answers = await Promise.all(
    organization.healthChecks.map(async (check) => ({
      check,
      answer: await ask(check, organization, clusters, providers),
    })),
  );
  const uuids = clusters.map(({ row }) => row.externalId);
  const enforced = answers.filter(({ check }) => check.enforced);
  return {
    objections: new Map(enforced.flatMap(({ check, answer }) => objectionsOf(check, answer, uuids))),
    states: answers.flatMap(({ check, answer }) => statesOf(check, answer, uuids)),
    faults: answers.flatMap(({ answer }) => ('fault' in answer ? [answer.fault] : [])),
  };
}

function objectionsOf({ provider }: HealthCheck, answer: Answer, uuids: readonly string[]): [string, string][] {
  if ('unhealthy' in answer) return [...answer.unhealthy];
  return uuids.map((uuid) => [uuid, `the health check ${provider} could not be queried`]);
}

function statesOf({ provider }: HealthCheck, answer: Answer, uuids: readonly string[]): HealthState[] {
  if ('fault' in answer) return [];
  return uuids.map((uuid) => ({ uuid, source: provider, healthy: !answer.unhealthy.has(uuid) }));
}

type Answer = { readonly unhealthy: ReadonlyMap<string, string> } | { readonly fault: Fault };

async function ask(
  { provider: name }: HealthCheck,
  organization: ServedOrganization,
  clusters: readonly DiscoveredCluster[],
  providers: ReadonlyMap<string, HealthProvider>,
): Promise<Answer> {
  if (name === OCM) return { unhealthy: saidByOcm(clusters) };
  const provider = providers.get(name);
  if (provider === undefined) return { fault: noProvider(name) };
  try {
    return { unhealthy: await provider.unhealthy(organization) };
  } catch (thrown) {
    return { fault: about(`the health check ${name}`, faultOf(thrown)) };
  }
}

function saidByOcm(clusters: readonly DiscoveredCluster[]): ReadonlyMap<string, string> {
  const unhealthy = clusters.filter(({ row }) => row.healthState === 'unhealthy');
  return new Map(unhealthy.map(({ row }) => [row.externalId, 'OCM reports it unhealthy']));
}

function noProvider(name: string): Fault {
  return {
    code: 'HEALTH_PROVIDER_MISSING',
    message: `the health check ${name} is required, but not configured for the environment`,
    hint: 'configure it for the environment, or use ocm',
  };
}
