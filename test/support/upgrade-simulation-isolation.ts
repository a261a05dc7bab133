import { isDeepStrictEqual } from 'node:util';
import { memoryStateStore } from '../../src/base/index.ts';
import { createWorld, worldApi } from '../../src/sim/index.ts';
import { createScheduler, type FleetReport, isSkipped } from '../../src/upgrades/index.ts';
import type { OrganizationOutcome } from '../../src/upgrades/scheduler/plan-organization.ts';
import { INTEGRATION, rulesOf, siteOf } from './upgrade-simulation.ts';
import { dice } from './upgrade-simulation-dice.ts';
import { drawScenario } from './upgrade-simulation-draw.ts';
import { BAD_CLUSTER_LABELS, BAD_ORGANIZATION_LABELS, drawCluster, withLabels } from './upgrade-simulation-fleet.ts';
import {
  type AusLabels,
  clusterId,
  fleetOf,
  type GivenOrganization,
  momentOf,
  type Scenario,
} from './upgrade-simulation-scenario.ts';

export const ISOLATION_DAYS = 45;

/** It shares nothing with others. */
const LONE: AusLabels = { workloads: 'wl-lone', 'soak-days': '0', schedule: '* * * * *' };

/** What bad labels of others changed for an organization, and of one cluster for the others of it; nothing, if U6 holds. */
export async function influenceOfBadLabels(seed: number): Promise<string[]> {
  const draw = dice(seed, 'bad labels');
  const scenario = calmScenario(seed, ISOLATION_DAYS);
  const decided = await decisionsFor(scenario, 'org-1');
  const found: string[] = [];
  const compare = async (what: string, changed: Scenario, except?: string): Promise<void> => {
    const difference = firstDifference(scenario, decided, await decisionsFor(changed, 'org-1', except));
    if (difference !== undefined) found.push(`${what}: ${difference}`);
  };
  const spoilt = replaced(scenario, 'org-2', ({ aus, clusters, ...organization }) => ({
    ...organization,
    aus: { ...aus, ...draw.pick(BAD_ORGANIZATION_LABELS) },
    clusters: clusters.map((cluster) => withLabels(cluster, draw.chance(0.5) ? draw.pick(BAD_CLUSTER_LABELS) : {})),
  }));
  await compare('labels of another organization', spoilt);
  await compare(
    'no other organization',
    replaced(scenario, 'org-2', () => undefined),
  );
  // Without OCM's own automatic upgrades: one that runs holds the mutexes that a bad label still names, as it should.
  const { automatic: _, ...drawn } = drawCluster(draw, 'lone', ['* * * * *'], 1);
  const lone = { ...drawn, aus: LONE };
  for (const labels of [{}, draw.pick(BAD_CLUSTER_LABELS)]) {
    const joined = replaced(scenario, 'org-1', ({ clusters, ...organization }) => ({
      ...organization,
      clusters: [...clusters, withLabels(lone, labels)],
    }));
    await compare(`a cluster with ${JSON.stringify(labels)}`, joined, 'lone');
  }
  return found;
}

/** Nothing goes wrong, and no organization uses the history of another: what is left to matter are labels. */
function calmScenario(seed: number, days: number): Scenario {
  const scenario = drawScenario(seed, days);
  const isSharing = ([key]: readonly [string, unknown]): boolean => key.startsWith('version-data.');
  return {
    ...scenario,
    quietFrom: 0,
    organizations: scenario.organizations.map(({ aus, ...organization }) => ({
      ...organization,
      aus: Object.fromEntries(Object.entries(aus).filter((entry) => !isSharing(entry))),
    })),
    events: scenario.events.filter(({ aus }) => !Object.entries(aus ?? {}).some(isSharing)),
  };
}

/** What was decided for the clusters of an organization, one text per pass. Others of it may be left out. */
async function decisionsFor(scenario: Scenario, orgId: string, except?: string): Promise<unknown[]> {
  const world = createWorld(fleetOf(scenario), scenario.seed);
  const api = worldApi(world);
  const scheduler = createScheduler({
    integration: INTEGRATION,
    store: memoryStateStore(),
    rules: rulesOf(scenario),
    clock: { now: () => world.now() },
  });
  const decisions: unknown[] = [];
  for (const { at } of scenario.passes) {
    world.advanceTo(momentOf(at));
    const report = await scheduler.pass({ sites: [siteOf(() => ({ api }))] });
    decisions.push(decisionIn(report, orgId, except === undefined ? undefined : clusterId(except)));
  }
  return decisions;
}

function decisionIn({ organizations }: FleetReport, orgId: string, except: string | undefined): unknown {
  const found = organizations.find(({ outcome }) => outcome.orgId === orgId)?.outcome;
  return found === undefined || isSkipped(found) ? found : decidedFor(found, except);
}

function decidedFor(
  { decision: { plan, verdicts, missingGates, fault } }: Exclude<OrganizationOutcome, { skipped: unknown }>,
  except: string | undefined,
): unknown {
  const others = <T extends { readonly clusterId: string }>(items: readonly T[]): T[] =>
    items.filter((item) => item.clusterId !== except);
  const items = others(plan).map((item) => (item.action === 'cancel' ? { ...item, policyId: '' } : item));
  return { items, verdicts: others(verdicts), missing: others(missingGates), fault };
}

/** The first pass that was decided otherwise, or nothing. */
function firstDifference(scenario: Scenario, one: readonly unknown[], other: readonly unknown[]): string | undefined {
  const index = one.findIndex((decision, at) => !isDeepStrictEqual(decision, other[at]));
  if (index === -1) return undefined;
  const [before, after] = [one[index], other[index]].map((decision) => JSON.stringify(decision));
  return `${momentOf(scenario.passes[index]!.at).toISOString()}: ${before} became ${after}`;
}

/** The organization with something else in its place; without it when that is undefined. */
function replaced(
  scenario: Scenario,
  orgId: string,
  by: (organization: GivenOrganization) => GivenOrganization | undefined,
): Scenario {
  const organizations = scenario.organizations.flatMap((organization) =>
    organization.id === orgId ? (by(organization) ?? []) : [organization],
  );
  return { ...scenario, organizations };
}
