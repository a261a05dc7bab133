import { describe, expect, it } from 'vitest';
import { instantOf, MICROS } from '../../src/gates/index.ts';
import { simulatedScheduler } from '../../src/sim/index.ts';
import type { Upgrade } from '../../src/upgrades/engine/choose.ts';
import { forecast } from '../../src/upgrades/forecast/forecast.ts';
import {
  DEFAULT_RULES,
  explainClusters,
  fleetPlan,
  isSkipped,
  type PlannedOrganization,
} from '../../src/upgrades/index.ts';
import { gaugeSeries } from '../../src/upgrades/metrics/scheduler-metrics.ts';
import type { OrganizationOutcome } from '../../src/upgrades/scheduler/plan-organization.ts';
import { fleetReport } from '../../src/upgrades/views/report.ts';
import { FROZEN, gatesWith, STAGES } from '../support/added-gate.ts';
import { quietWorld } from '../support/forecast-fleet.ts';
import { numberOf } from '../support/upgrade-simulation-check.ts';

/** The same fleets in every run; `ECHELON_SEED` tries others. */
const FIRST_SEED = 1;
const FLEETS = 12;
const HOUR = 3_600_000;

/** A fleet, what would be upgraded in it now, and what everybody says of it with one more gate that says no. */
async function viewsOf(seed: number, stage: (typeof STAGES)[number]) {
  const world = quietWorld(seed, seed % 2 === 0);
  world.advanceTo(new Date(world.now().getTime() + (seed % 24) * HOUR));
  const usual = simulatedScheduler([world]);
  const frozen = simulatedScheduler([world], { gates: gatesWith(stage) });
  const planned = await frozen.plan();
  const { organizations: reports } = await frozen.pass(undefined, { dryRun: true });
  const from = instantOf(world.now().getTime());
  const options = { from, days: 3, every: MICROS.hour, rules: DEFAULT_RULES };
  return {
    expected: upgradesIn((await usual.plan()).organizations),
    upgrades: upgradesIn(planned.organizations),
    plans: fleetPlan(planned).organizations.flatMap(({ clusters }) => clusters),
    explained: explainClusters(planned.organizations),
    rows: fleetReport(planned.organizations).flatMap((sheet) => sheet.rows),
    reasons: reports.flatMap((report) => gaugeSeries(report, 'test')?.blockedReason ?? []),
    foreseen: forecast(plannedIn(planned.organizations), options).clusters,
  };
}

type Views = Awaited<ReturnType<typeof viewsOf>>;

function plannedIn(outcomes: readonly OrganizationOutcome[]): PlannedOrganization[] {
  return outcomes.filter((outcome): outcome is PlannedOrganization => !isSkipped(outcome));
}

function upgradesIn(outcomes: readonly OrganizationOutcome[]): Upgrade[] {
  return plannedIn(outcomes).flatMap(({ decision }) =>
    decision.plan.flatMap((item) => (item.action === 'upgrade' ? [item] : [])),
  );
}

/** Whatever shows why the cluster does not get the upgrade names the gate. */
function expectNamed({ clusterId, version, nodePool }: Upgrade, views: Views): void {
  const candidate = views.explained
    .find(({ id }) => id === clusterId)
    ?.candidates.find((each) => each.version === version && each.nodePool === nodePool);
  const opens = { after: 'the freeze is over' };
  expect(candidate?.gates).toContainEqual({ gate: FROZEN, state: 'wait', reason: 'the quarter ends', opens });
  expect(candidate?.opens).toEqual(opens);
  const plan = views.plans.find(({ id }) => id === clusterId);
  const labels = { cluster_uuid: plan?.uuid, version, gate: FROZEN };
  expect(views.reasons).toContainEqual({ labels: expect.objectContaining(labels), value: 1 });
  if (nodePool !== undefined) return;
  const row = views.rows.find(({ id }) => id === clusterId);
  expect(row?.upgrades).toContainEqual(expect.objectContaining({ version, gate: FROZEN }));
}

/** Plan and forecast name one version: the highest, where none is open. Of a higher one they name what holds that. */
function expectForeseen({ clusterId, version }: Upgrade, { plans, foreseen }: Views): boolean {
  const plan = plans.find(({ id }) => id === clusterId);
  if (plan?.to !== version) return false;
  expect(plan).toMatchObject({ gate: FROZEN, reason: 'the quarter ends' });
  const future = foreseen.find(({ id }) => id === clusterId);
  expect(future?.waiting[0]).toMatchObject({ gate: FROZEN, reason: 'the quarter ends' });
  return true;
}

describe('a gate that only a test knows, and that always says no', () => {
  const first = numberOf('ECHELON_SEED', FIRST_SEED);

  it.each(STAGES)('of the stage %s stops every upgrade, and everybody names it', async (stage) => {
    const kinds: string[] = [];
    let foreseen = 0;
    for (let seed = first; seed < first + FLEETS; seed += 1) {
      const views = await viewsOf(seed, stage);
      const decided = views.foreseen.flatMap(({ upgrades }) => upgrades.filter((each) => each.decidedAt !== undefined));
      expect({ seed, upgrades: views.upgrades, decided }).toEqual({ seed, upgrades: [], decided: [] });
      for (const upgrade of views.expected) {
        expectNamed(upgrade, views);
        foreseen += Number(expectForeseen(upgrade, views));
      }
      kinds.push(...views.expected.map(({ kind }) => kind));
    }
    expect(foreseen).toBeGreaterThan(0);
    expect([...new Set(kinds)].sort()).toEqual(['cluster', 'control_plane', 'node_pool']);
  });
});
