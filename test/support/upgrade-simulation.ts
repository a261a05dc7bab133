import { memoryStateStore, type StateStore } from '../../src/base/index.ts';
import { MICROS } from '../../src/gates/index.ts';
import type { OrgId } from '../../src/instance/index.ts';
import { createWorld, SimOcmError, type World, type WorldCall, worldApi } from '../../src/sim/index.ts';
import { createScheduler, DEFAULT_RULES, type FleetReport, type Rules, type Site } from '../../src/upgrades/index.ts';
import type { Scheduler } from '../../src/upgrades/scheduler/scheduler.ts';
import { dice } from './upgrade-simulation-dice.ts';
import { Line } from './upgrade-simulation-line.ts';
import {
  clusterId,
  DAY,
  ENVIRONMENT,
  fleetOf,
  type Minute,
  momentOf,
  type PassPlan,
  type Scenario,
  START,
  type UserAction,
  type Who,
} from './upgrade-simulation-scenario.ts';
import { SoakAccounts } from './upgrade-simulation-soak.ts';
import { Tally } from './upgrade-simulation-tally.ts';
import { Turns } from './upgrade-simulation-turns.ts';
import { View } from './upgrade-simulation-view.ts';
import { type Broken, Watch } from './upgrade-simulation-watch.ts';

export const DAYS_AHEAD = 'passes with a clock days ahead';
export const COUNTED_AGAIN = 'soak that counts again after a clock ahead';
export const INTEGRATION = 'advanced-upgrade-scheduler';

/** A scheduler process: what it remembers is gone when it crashes. */
interface Life {
  readonly scheduler: Scheduler;
  line: Line;
}

/** Something that changed the world, for doing it again in a copy. */
type Deed = { readonly at: number } & ({ readonly call: WorldCall } | { readonly action: UserAction });

export interface SimulationParts {
  readonly world: World;
  readonly store: MemoryStore;
  readonly tally: Tally;
}

type MemoryStore = ReturnType<typeof memoryStateStore>;

/** One world, the schedulers that work on it, and those who watch them. */
export class Simulation {
  readonly world: World;
  readonly store: MemoryStore;
  readonly soak: SoakAccounts;
  readonly watch: Watch;
  readonly tally: Tally;
  readonly trace: string[] = [];
  readonly #scenario: Scenario;
  readonly #lives = new Map<Who, Life>();
  readonly #agenda: { readonly at: number; readonly act: () => void }[] = [];
  readonly #deeds: Deed[] = [];
  readonly #clocks: Record<Who, number> = { a: 0, b: 0 };
  passes = 0;
  /** What the last pass observed. */
  lastView: View | undefined;

  constructor(scenario: Scenario, parts: Partial<SimulationParts> = {}) {
    const { tally = new Tally(), store = memoryStateStore() } = parts;
    this.#scenario = scenario;
    this.tally = tally;
    this.store = store;
    this.world = parts.world ?? createWorld(fleetOf(scenario), scenario.seed);
    this.soak = new SoakAccounts(scenario.creditedHours * 3_600_000, () => tally.count(COUNTED_AGAIN));
    this.watch = new Watch({
      ...{ world: this.world, soak: this.soak, tally },
      note: (text) => this.note(text),
      did: (call) => void this.#deeds.push({ at: this.now, call }),
    });
    for (const action of scenario.actions) {
      const at = momentOf(action.at).getTime();
      if (at > this.now || parts.world === undefined) this.#plan(at, () => this.#act(action));
    }
  }

  get now(): number {
    return this.world.now().getTime();
  }

  /** Nothing is on its way, and no user has anything in mind. */
  get isSettled(): boolean {
    return this.#agenda.length === 0;
  }

  /** Another world that has come to the same point in the same way. */
  copyOfWorld(): World {
    const world = createWorld(fleetOf(this.#scenario), this.#scenario.seed);
    const api = worldApi(world) as unknown as Record<string, (...args: readonly unknown[]) => Promise<unknown>>;
    for (const { at, ...deed } of this.#deeds) {
      world.advanceTo(new Date(at));
      if ('action' in deed) actOn(world, deed.action);
      else api[deed.call.name]?.(...deed.call.args);
    }
    world.advanceTo(this.world.now());
    return world;
  }

  note(text: string): void {
    this.trace.push(`${dayText(this.world.now())} ${text}`);
  }

  get broken(): readonly Broken[] {
    return this.watch.broken;
  }

  #plan(at: number, act: () => void): void {
    this.#agenda.push({ at, act });
    this.#agenda.sort((a, b) => a.at - b.at);
  }

  /** Lets the world live until then, with all that users do and all that arrives late. */
  live(until: number): void {
    while ((this.#agenda[0]?.at ?? Number.POSITIVE_INFINITY) <= until) {
      const due = this.#agenda.shift()!;
      this.world.advanceTo(new Date(due.at));
      due.act();
    }
    this.world.advanceTo(new Date(until));
  }

  /** Lets it live until the pass, and runs it. */
  async pass(plan: PassPlan): Promise<void> {
    this.live(momentOf(plan.at).getTime());
    Object.assign(this.#clocks, plan.clock);
    this.passes += 1;
    this.watch.lastCreated = undefined;
    this.tally.count('passes');
    const turns = plan.turns ? new Turns(dice(this.#scenario.seed, `turns ${plan.at}`)) : undefined;
    const views = plan.who.map((who) => new View(who, `${who}${this.passes}`, this.now));
    this.lastView = views[0];
    const work = Promise.all(views.map((view) => this.#run(view, plan, turns)));
    await turns?.until(work);
    const reports = await work;
    const isQuiet = plan.who.length === 1 && plan.faults.length === 0 && plan.clock[plan.who[0]!] === 0;
    if (isQuiet && reports[0] !== 'crashed') this.#afterQuiet(views[0]!, reports[0]!);
    if (plan.reaction !== undefined) this.#react(plan.reaction);
  }

  async #run(view: View, { faults, clock }: PassPlan, turns: Turns | undefined): Promise<FleetReport | 'crashed'> {
    const { who } = view;
    if (clock[who] !== 0) this.watch.clockIsWrong();
    if (clock[who] >= DAY) this.tally.count(DAYS_AHEAD);
    const line = new Line(
      {
        world: this.world,
        store: this.store,
        pass: (minutes) => this.live(this.now + minutes * 60_000),
        later: (minutes, act) => this.#plan(this.now + minutes * 60_000, act),
      },
      this.watch.listen(view, () => this.#clock(who)),
      faults.filter((fault) => fault.who === who),
      turns,
    );
    const life = this.#lives.get(who) ?? this.#born(who, line);
    life.line = line;
    this.#lives.set(who, life);
    const pass = life.scheduler.pass({ sites: [siteOf(() => line)] });
    const report = await Promise.race([pass, line.crashed]);
    if (report === 'crashed') this.#lives.delete(who);
    else this.#noteReport(view, report);
    return report;
  }

  #clock(who: Who): number {
    return this.now + this.#clocks[who] * 60_000;
  }

  #born(who: Who, line: Line): Life {
    const life = { line } as { line: Line; scheduler?: Scheduler };
    const store: StateStore = {
      name: 'memory',
      read: (key) => life.line.store.read(key),
      write: (key, value, expected) => life.line.store.write(key, value, expected),
    };
    const clock = { now: () => new Date(this.#clock(who)) };
    life.scheduler = createScheduler({
      ...{ integration: INTEGRATION, store, clock },
      rules: rulesOf(this.#scenario),
      resyncSeconds: this.#scenario.resyncSeconds,
    });
    return life as Life;
  }

  #noteReport({ name }: View, { organizations, environments }: FleetReport): void {
    for (const { fault } of environments) if (fault !== undefined) this.note(`${name}: ${fault.message}`);
    for (const { outcome, results, faults } of organizations) {
      this.tally.count('skipped' in outcome ? 'organizations skipped' : 'decisions');
      for (const { item, outcome: came } of results) this.tally.count(`${item.action} ${came}`);
      for (const fault of faults) this.note(`${name}: ${outcome.orgId}: ${fault.message}`);
    }
  }

  #afterQuiet(view: View, { organizations }: FleetReport): void {
    const isWhole = organizations.every(({ outcome, faults }) => !('skipped' in outcome) && faults.length === 0);
    if (isWhole) this.watch.afterQuietPass(view);
  }

  /** Somebody does not want what was scheduled; or the cluster cannot have it any more. */
  #react(reaction: 'block' | 'sicken'): void {
    const { lastCreated } = this.watch;
    if (lastCreated === undefined) return;
    const at: Minute = (this.now - START) / 60_000;
    const { orgId: organization, version, cluster } = lastCreated;
    const pattern = `^${version.replaceAll('.', '\\.')}$`;
    const [deed, undoing]: readonly UserAction[] =
      reaction === 'block'
        ? [
            { kind: 'block', at, organization, pattern },
            { kind: 'block', at: at + DAY / 2, organization, pattern: null },
          ]
        : [
            { kind: 'sicken', at, cluster },
            { kind: 'heal', at: at + DAY / 2, cluster },
          ];
    this.#act(deed!);
    this.#plan(momentOf(undoing!.at).getTime(), () => this.#act(undoing!));
  }

  #act(action: UserAction): void {
    this.note(`a user: ${JSON.stringify(action)}`);
    this.#deeds.push({ at: this.now, action });
    actOn(this.world, action);
  }
}

export function rulesOf({ creditedHours }: Scenario): Rules {
  return { ...DEFAULT_RULES, maxCreditedInterval: creditedHours * MICROS.hour };
}

export function siteOf(line: () => { readonly api: Line['api'] }): Site {
  return {
    name: ENVIRONMENT,
    connect: async () => line().api,
    serves: (orgId) => ({ orgId: orgId as OrgId, healthChecks: [{ provider: 'ocm', enforced: true }] }),
    health: new Map(),
  };
}

function actOn(world: World, action: UserAction): void {
  try {
    userActs(world, action);
  } catch (thrown) {
    if (!(thrown instanceof SimOcmError)) throw thrown;
  }
}

function userActs(world: World, action: UserAction): void {
  if (action.kind === 'block') {
    world.blockVersions(action.organization, action.pattern === null ? [] : [action.pattern]);
    return;
  }
  const cluster = world.state.clusters.get(clusterId(action.cluster));
  if (cluster === undefined) return;
  if (action.kind === 'sicken' || action.kind === 'heal') {
    world.setHealth(cluster.id, action.kind === 'heal' ? 'healthy' : 'unhealthy');
    return;
  }
  if (action.kind === 'agree') {
    world.createAgreement(cluster.id, { version_gate: { id: action.gate } });
    return;
  }
  const version = world.graph.upgrades(cluster.version, cluster.channel, world.now().getTime(), cluster.hypershift)[0];
  if (version === undefined) return;
  const nextRun = new Date(world.now().getTime() + 3_600_000).toISOString();
  const type = cluster.hypershift ? { upgrade_type: 'ControlPlane', cluster_id: cluster.id } : {};
  world.createPolicy(world.targetOf(cluster.id), { version, next_run: nextRun, schedule_type: 'manual', ...type });
}

export function dayText(moment: Date): string {
  const minute: Minute = (moment.getTime() - START) / 60_000;
  return `day ${Math.floor(minute / DAY)} ${moment.toISOString().slice(11, 19)}`;
}
