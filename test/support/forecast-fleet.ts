import { instantOf, MICROS } from '../../src/gates/index.ts';
import { createWorld, parseFleet, simulatedScheduler, type World } from '../../src/sim/index.ts';
import { RULE_NAMES, rulesWith } from '../../src/upgrades/engine/rules.ts';
import { forecast } from '../../src/upgrades/forecast/forecast.ts';
import { type FleetPlanned, isSkipped, type PlannedOrganization } from '../../src/upgrades/index.ts';
import { GATE_LABELS } from '../../src/upgrades/policies/fields.ts';
import { dice } from './upgrade-simulation-dice.ts';
import { drawOrganizations, drawSchedules } from './upgrade-simulation-fleet.ts';

const START = Date.parse('2026-03-02T00:00:00Z');
const MINUTE = 60_000;

/** Durations without variation, as the forecast has them; nothing fails and nothing changes. */
const TIMING = {
  schedule: '1m',
  start: '0s',
  classic: '90m',
  control_plane: '30m',
  node_pool: '40m',
  completed_visible: '5m',
  settle: '2m',
};

/** A minor that clusters have to change their channel for. */
const MINORS = [{ version: '4.15.{n}', from: 0, count: 2, at: 'day -30', every: '1d' }];

/** Clusters of another organization that are offered the minor already, and take nothing: by them a forecast knows it. */
const LATER = {
  ...{ id: 'org-later', name: 'org-later' },
  clusters: ['stable', 'candidate'].flatMap((group) =>
    [false, true].map((hosted) => {
      const name = `later-${group}-${hosted ? 'hosted' : 'classic'}`;
      return {
        ...{ name, id: `${name}-id`, uuid: `${name}-uuid`, subscription: `${name}-sub`, created: 'day -500' },
        ...{ version: '4.14.0', channel: `${group}-4.15`, hosted, product: hosted ? 'rosa' : 'osd' },
        aus: { workloads: 'wl-later', 'soak-days': 99, schedule: '* * * * *' },
      };
    }),
  ),
};

/** A small fleet; all versions are out when it starts. */
export function quietWorld(seed: number, minors = false): World {
  const draw = dice(seed, 'forecast');
  const schedules = drawSchedules(draw);
  const organizations = drawOrganizations(draw, schedules).map(({ clusters, ...organization }) => ({
    ...organization,
    name: organization.id,
    clusters: clusters.map(({ name, pools, automatic: _, ...cluster }, index) => ({
      ...cluster,
      ...{ name, id: `${name}-id`, uuid: `${name}-uuid`, subscription: `${name}-sub` },
      product: cluster.hosted ? 'rosa' : 'osd',
      created: `day ${index - 400}`,
      ...(draw.chance(0.08) ? { health: 'unhealthy' } : {}),
      ...(cluster.hosted ? { node_pools: pools.map((version, nth) => ({ name: `np${nth}`, version })) } : {}),
    })),
  }));
  const fleet = {
    start: new Date(START).toISOString(),
    timing: TIMING,
    versions: {
      groups: { stable: '0d', candidate: '-4d' },
      releases: [
        { version: '4.14.{n}', from: 0, count: draw.int(3, 6), at: 'day -60', every: '1d' },
        ...(minors ? MINORS : []),
      ],
    },
    gates: minors ? [{ id: 'gate-15', version: '4.15', label: GATE_LABELS.ocp }] : [],
    environments: [{ name: 'sim', organizations: minors ? [...organizations, LATER] : organizations }],
  };
  const world = createWorld(parseFleet(fleet), seed);
  for (const { id } of minors ? organizations.flatMap(({ clusters }) => clusters) : [])
    if (draw.chance(0.75)) world.createAgreement(id, { version_gate: { id: 'gate-15' } });
  return world;
}

/**
 * Makes a forecast on day 0, then lets the world live with the scheduler as pods run it. Both are what starts within the
 * days of the forecast: the pass that runs as they end may schedule an upgrade that starts after them.
 */
export async function foreseenAndHappened(seed: number, options: { days: number; every: number; minors?: boolean }) {
  const { days, every, minors = false } = options;
  const world = quietWorld(seed, minors);
  const rules = { ...rulesWith(RULE_NAMES), maxCreditedInterval: dice(seed, 'credit').pick([1, 6]) * MICROS.hour };
  const scheduler = simulatedScheduler([world], { rules });
  const organizations = lookedAt(await scheduler.plan('forecast'));
  const told = forecast(organizations, {
    ...{ days, rules, every: every * MICROS.minute, from: instantOf(START) },
  });
  const happened = new Set<string>();
  for (let minute = 0; minute <= days * 24 * 60; minute += every) {
    await scheduler.pass(new Date(START + minute * MINUTE));
    for (const { target, version, nextRun } of world.state.policies.all()) {
      if (nextRun > told.to / MICROS.millisecond) continue;
      const { name } = world.cluster(target.clusterId);
      happened.add(line(name, target.nodePool, version, nextRun));
    }
  }
  const foreseen = told.clusters.flatMap(({ name, upgrades }) =>
    upgrades.map(({ nodePool, version, startsAt }) => line(name, nodePool, version, startsAt / MICROS.millisecond)),
  );
  return { foreseen: foreseen.sort(), happened: [...happened].sort(), told, world };
}

function line(name: string, nodePool: string | undefined, version: string, startsAt: number): string {
  return [name, ...(nodePool === undefined ? [] : [nodePool]), version, new Date(startsAt).toISOString()].join(' ');
}

/** What the scheduler sees of a world now. */
export async function plannedIn(world: World): Promise<PlannedOrganization[]> {
  return lookedAt(await simulatedScheduler([world]).plan('forecast'));
}

function lookedAt({ organizations }: FleetPlanned): PlannedOrganization[] {
  return organizations.flatMap((outcome) => (isSkipped(outcome) ? [] : [outcome]));
}
