import { isDeepStrictEqual } from 'node:util';
import { worldApi } from '../../src/sim/index.ts';
import { createScheduler, type FleetPlanned, isSkipped, type Listed } from '../../src/upgrades/index.ts';
import { INTEGRATION, rulesOf, type Simulation, siteOf } from './upgrade-simulation.ts';
import type { Dice } from './upgrade-simulation-dice.ts';
import type { Scenario } from './upgrade-simulation-scenario.ts';

/** Lists whose order says nothing. */
const UNORDERED: ReadonlySet<string> = new Set([
  'listLabels',
  'listSubscriptions',
  'listClusters',
  'listVersionGates',
  'listAgreements',
]);

/** Whether a plan stays the same when OCM lists everything in another order; if not, for whom. */
export async function differsInAnotherOrder(
  scenario: Scenario,
  simulation: Simulation,
  draw: Dice,
): Promise<string | undefined> {
  const { world, store } = simulation;
  const planned = async (turn: <T>(items: readonly T[]) => readonly T[]): Promise<FleetPlanned> => {
    const api = worldApi(world, (call, act) => {
      const answer = act();
      if (!UNORDERED.has(call.name)) return answer;
      const { items, problems } = answer as Listed<unknown>;
      return { items: turn(items), problems };
    });
    const clock = { now: () => world.now() };
    const scheduler = createScheduler({ ...{ integration: INTEGRATION, store, clock }, rules: rulesOf(scenario) });
    return scheduler.plan({ sites: [siteOf(() => ({ api }))] });
  };
  const [one, other] = [await planned((items) => items), await planned((items) => draw.shuffled(items))];
  const index = one.organizations.findIndex((each, at) => !isSame(each, other.organizations[at]));
  return index === -1 ? undefined : one.organizations[index]!.orgId;
}

type Outcome = FleetPlanned['organizations'][number];

function isSame(one: Outcome, other: Outcome | undefined): boolean {
  if (other === undefined || isSkipped(one) || isSkipped(other)) return isDeepStrictEqual(one, other);
  return isDeepStrictEqual([one.decision, one.spec.problems], [other.decision, other.spec.problems]);
}
