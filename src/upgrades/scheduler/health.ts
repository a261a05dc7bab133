import type { DiscoveredCluster } from './discover.ts';
import { about, type Fault, faultOf } from './fault.ts';
import type { HealthCheck, HealthProvider, ServedOrganization } from './site.ts';

/** What one check says of one cluster, for metrics. */
export interface HealthState {
  readonly uuid: string;
  readonly source: string;
  readonly healthy: boolean;
}

export interface Health {
  /** By UUID, what an enforced check objects to. */
  readonly objections: ReadonlyMap<string, string>;
  readonly states: readonly HealthState[];
  readonly faults: readonly Fault[];
}

/** OCM itself says how a cluster is; that costs no further call. */
const OCM = 'ocm';

/**
 * Asks the checks of an organization. A check that cannot be asked knows of no healthy cluster: where it is enforced, its
 * clusters earn nothing and stay as they are, and their users, who have done nothing wrong, are not told.
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
  return uuids.map((uuid) => [uuid, `the health check ${provider} could not be asked`]);
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
  return new Map(unhealthy.map(({ row }) => [row.externalId, 'OCM says that it is unhealthy']));
}

function noProvider(name: string): Fault {
  return {
    code: 'HEALTH_PROVIDER_MISSING',
    message: `the health check ${name} is asked for, but the environment has none of that name`,
    hint: 'tell where it is in the configuration of the environment, or use ocm',
  };
}
