import { defined } from '../../src/base/index.ts';
import { MICROS } from '../../src/gates/index.ts';
import { type Intercept, type SimulatedScheduler, simulatedScheduler, type World } from '../../src/sim/index.ts';
import {
  type ClusterExplanation,
  DEFAULT_RULES,
  explainClusters,
  type GateExplanation,
  type UpgradeTarget,
} from '../../src/upgrades/index.ts';
import { type Attempt, lift } from './explain-lifts-gates.ts';
import { isBelow, running } from './explain-lifts-world.ts';
import { quietWorld } from './forecast-fleet.ts';
import { type Dice, dice } from './upgrade-simulation-dice.ts';
import { BAD_ORGANIZATION_LABELS } from './upgrade-simulation-fleet.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
/** So long the scheduler counts on a policy that it made, whether OCM shows it or not. */
const RESERVED = 15 * 60 * SECOND;
const UPGRADED = ['upgrade', 'upgrade-node-pool'];
/** Gates that may close while another is lifted: others have other turns then, and time passes. */
const MAY_CLOSE: ReadonlySet<string> = new Set(['mutex', 'schedule']);
/** Of a fleet of at most twenty clusters that may all have to be upgraded first. */
const MOST_LIFTS = 120;
const CLUSTERS_PER_FLEET = 3;

/** A gate as often as it was lifted, in order; the cluster has moved after the last. */
export type Lifts = readonly string[];

/** What a cluster waits to run: the version that explain shows first. */
interface Goal {
  readonly version: string;
  readonly nodePool?: string;
}

/**
 * Draws a fleet, lets it live for some hours, and takes some of the clusters that wait: whatever explain names is lifted, one
 * gate after the other, until none is closed. Throws, with the seed, where a cluster moves before, or does not move then.
 */
export async function liftAll(seed: number): Promise<Lifts[]> {
  const { scheduler } = await livedFleet(seed);
  const waiting = (await explained(scheduler)).filter(({ action }) => !UPGRADED.includes(action));
  const chosen = dice(seed, 'chosen').shuffled(waiting).slice(0, CLUSTERS_PER_FLEET);
  const all: Lifts[] = [];
  for (const { id } of chosen) all.push(await new Waiting(seed, id, await livedFleet(seed)).move());
  return all;
}

interface Lived {
  readonly world: World;
  readonly scheduler: SimulatedScheduler;
  /** From then on this decides about every call. */
  stand(intercept: Intercept): void;
}

/** Sometimes an organization stands still from before now until some hours from now. */
function freeze(world: World, draw: Dice): void {
  if (!draw.chance(0.25)) return;
  const now = world.now().getTime();
  const [from, until] = [now - HOUR, now + draw.int(1, 72) * HOUR].map((time) => new Date(time).toISOString());
  world.setLabel({ type: 'Organization', id: 'org-1' }, 'sre-capabilities.aus.freeze', `${from}/${until}=inventory`);
}

/** The same for the same seed. */
async function livedFleet(seed: number): Promise<Lived> {
  const draw = dice(seed, 'lifts');
  const world = quietWorld(seed, draw.chance(0.4));
  if (draw.chance(0.1)) {
    const labels = Object.entries(draw.pick(BAD_ORGANIZATION_LABELS));
    for (const [key, value] of labels)
      world.setLabel({ type: 'Organization', id: 'org-2' }, `sre-capabilities.aus.${key}`, value);
  }
  let between: Intercept = (_, act) => act();
  const rules = { ...DEFAULT_RULES, maxCreditedInterval: MICROS.day };
  const scheduler = simulatedScheduler([world], { rules, intercept: () => (call, act) => between(call, act) });
  const start = world.now().getTime();
  for (const hours of [0, 1, draw.int(2, 60)]) await scheduler.pass(new Date(start + hours * HOUR));
  world.advanceTo(new Date(world.now().getTime() + RESERVED));
  freeze(world, dice(seed, 'freeze'));
  return {
    world,
    scheduler,
    stand: (intercept) => {
      between = intercept;
    },
  };
}

async function explained(scheduler: SimulatedScheduler): Promise<ClusterExplanation[]> {
  return explainClusters((await scheduler.plan()).organizations);
}

/** One cluster that waits, while all others stand still. */
class Waiting implements Attempt {
  readonly world: World;
  readonly draw: Dice;
  readonly #scheduler: SimulatedScheduler;
  readonly #seed: number;
  readonly #id: string;
  readonly #lifts: string[] = [];
  #goal: Goal | undefined;
  #closed: ReadonlySet<string> | undefined;
  #moved = false;
  #held = false;
  #last: string | undefined;

  constructor(seed: number, id: string, { world, scheduler, stand }: Lived) {
    this.world = world;
    this.draw = dice(seed, id);
    this.#scheduler = scheduler;
    this.#seed = seed;
    this.#id = id;
    stand((call, act) => this.#between(call.name, call.args, act));
  }

  /** Only the cluster gets an upgrade, and only to what it waits for: anything else would change what others wait for. */
  #between(name: string, args: readonly unknown[], act: () => unknown): unknown {
    if (name === 'switchChannel') return undefined;
    if (name !== 'createPolicy') return act();
    const [{ clusterId, nodePool }, { version }] = args as [UpgradeTarget, { version: string }];
    const isGoal = clusterId === this.#id && nodePool === this.#goal?.nodePool;
    if (!isGoal || this.#held || isBelow(version, this.#goal?.version ?? ''))
      return { outcome: 'refused', reason: 'x', missingGates: [] };
    this.#moved = true;
    return act();
  }

  async move(): Promise<Lifts> {
    while (this.#lifts.length < MOST_LIFTS) {
      await this.observe();
      if (this.hasReached()) return this.#lifts;
      const told = await this.own();
      const closed = this.#closedOf(told);
      await this.#scheduler.pass();
      this.#check(closed);
      if (this.#moved) return this.#lifts;
      await this.#lift(this.draw.pick(closed), told);
    }
    throw this.fault(`it has not moved after ${MOST_LIFTS} lifts`);
  }

  /** It has moved exactly if no gate was closed. */
  #check(closed: readonly GateExplanation[]): void {
    if (this.#moved && closed.length > 0) throw this.fault(`it moves although ${textOf(closed)}`);
    if (!this.#moved && closed.length === 0) throw this.fault('it does not move although no gate is closed');
  }

  /** A mutex may be held by the same cluster again: it goes on to the next version. */
  async #lift(gate: GateExplanation, told: ClusterExplanation): Promise<void> {
    const text = JSON.stringify(gate);
    if (gate.gate !== 'mutex' && text === this.#last)
      throw this.fault(`${textOf([gate])} is as before although it was lifted`);
    this.#last = text;
    this.#lifts.push(gate.gate);
    await lift(this, gate, told, this.#goal?.version ?? '');
    this.world.advanceTo(new Date(this.world.now().getTime() + SECOND));
  }

  /** What is closed for the version that it waits for: the first that is shown once there is one. */
  #closedOf(told: ClusterExplanation): readonly GateExplanation[] {
    if (told.before.length > 0) return told.before;
    const goal = this.#goal;
    const same = told.candidates.find((each) => each.version === goal?.version && each.nodePool === goal?.nodePool);
    const shown = same ?? told.candidates[0];
    if (shown === undefined) throw this.fault('explain shows neither a gate nor a version');
    const { version, nodePool } = shown;
    this.#goal = { version, ...defined({ nodePool }) };
    const closed = shown.gates.filter(({ state }) => state !== 'pass');
    const before = same === undefined ? undefined : this.#closed;
    const surprise = closed.find(({ gate }) => before?.has(gate) === false && !MAY_CLOSE.has(gate));
    if (surprise !== undefined) throw this.fault(`nobody named ${textOf([surprise])} before`);
    this.#closed = new Set(closed.map(({ gate }) => gate));
    return closed;
  }

  /** By an upgrade that was under way before. */
  hasReached(): boolean {
    const goal = this.#goal;
    return goal !== undefined && !isBelow(running(this.world, this.#id, goal.nodePool), goal.version);
  }

  async all(): Promise<ClusterExplanation[]> {
    return explained(this.#scheduler);
  }

  async own(): Promise<ClusterExplanation> {
    const found = (await this.all()).find(({ id }) => id === this.#id);
    if (found === undefined) throw this.fault('it is not explained any more');
    return found;
  }

  async observe(moment: Date = this.world.now()): Promise<void> {
    this.#held = true;
    await this.#scheduler.pass(moment);
    this.#held = false;
  }

  fault(what: string): Error {
    const { name } = this.world.cluster(this.#id);
    const goal = [this.#goal?.nodePool, this.#goal?.version].filter(Boolean).join(' ');
    return new Error(`seed ${this.#seed}, ${name} to ${goal}: ${what}; lifted ${this.#lifts.join(', ') || 'nothing'}`);
  }
}

function textOf(gates: readonly GateExplanation[]): string {
  return gates.map(({ gate, reason }) => `${gate}: ${reason}`).join('; ');
}
