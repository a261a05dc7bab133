import { defined } from '../../src/base/index.ts';
import { Simulation } from './upgrade-simulation.ts';
import { type Allowed, allowedUpgrades } from './upgrade-simulation-allowed.ts';
import { dice } from './upgrade-simulation-dice.ts';
import { forecast, forgotten, laggards, Progress, SLACK_DAYS } from './upgrade-simulation-liveness.ts';
import { DAY_MS } from './upgrade-simulation-promises.ts';
import { differsInAnotherOrder } from './upgrade-simulation-same.ts';
import { momentOf, type Scenario } from './upgrade-simulation-scenario.ts';
import type { Tally } from './upgrade-simulation-tally.ts';
import type { Broken } from './upgrade-simulation-watch.ts';

/** What came of a scenario. */
export interface Run {
  /** The first promise that was broken. */
  readonly broken?: Broken;
  /** How many there were up to then. */
  readonly passes: number;
  readonly trace: readonly string[];
}

/** How often it is tried whether the order of lists matters. */
const PERMUTED = 0.01;

/** Runs a scenario up to the first promise that is broken. */
export async function simulate(scenario: Scenario, tally?: Tally): Promise<Run> {
  const real = new Simulation(scenario, tally === undefined ? {} : { tally });
  const draw = dice(scenario.seed, 'order');
  let next = 0;
  const passUntil = async (isEnough: () => boolean): Promise<void> => {
    for (; next < scenario.passes.length && real.broken.length === 0 && !isEnough(); next += 1) {
      await real.pass(scenario.passes[next]!);
      if (draw.chance(PERMUTED)) await permute(scenario, real, draw);
    }
  };
  await passUntil(() => real.isSettled && scenario.passes[next]!.at >= scenario.quietFrom);
  if (real.broken.length === 0 && next < scenario.passes.length) await quietly(scenario, real, next);
  const [broken] = real.broken;
  return { trace: real.trace, passes: real.passes, ...defined({ broken }) };
}

async function permute(scenario: Scenario, real: Simulation, draw: ReturnType<typeof dice>): Promise<void> {
  real.tally.count('plans in another order');
  const orgId = await differsInAnotherOrder(scenario, real, draw);
  if (orgId !== undefined)
    real.watch.break('X2', `the plan of ${orgId} depends on the order in which OCM lists things`);
}

/** Nothing goes wrong any more: clusters get on as fast as if nothing ever had, and none is forgotten. */
async function quietly(scenario: Scenario, real: Simulation, from: number): Promise<void> {
  const twin = await forecast(scenario, real);
  const [truth, expected] = [new Progress(real), new Progress(twin)];
  const end = momentOf(scenario.passes.at(-1)?.at ?? 0).getTime();
  let wish: { readonly allowed: readonly Allowed[]; readonly at: number } | undefined;
  for (const plan of scenario.passes.slice(from)) {
    await real.pass(plan);
    await twin.pass(plan);
    truth.look();
    expected.look();
    if (real.broken.length > 0) return;
    if (real.now >= end - SLACK_DAYS * DAY_MS) wish ??= { allowed: await allowedIn(scenario, real), at: real.now };
  }
  real.tally.count('upgrades forecast', expected.upgrades());
  real.tally.count('upgrades to be had at last', wish?.allowed.length ?? 0);
  const late = laggards(truth, expected, real.now);
  for (const each of [...late, ...forgotten(real, wish?.allowed ?? [], wish?.at ?? 0)])
    real.watch.break('liveness', each);
}

async function allowedIn({ organizations }: Scenario, real: Simulation): Promise<readonly Allowed[]> {
  const ids = organizations.map(({ id }) => id);
  return real.lastView === undefined ? [] : allowedUpgrades(real, real.lastView, ids);
}
