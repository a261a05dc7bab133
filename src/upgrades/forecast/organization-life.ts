import { defined } from '../../base/index.ts';
import { type Instant, later, turnAt } from '../../gates/index.ts';
import { type Context, contextOf } from '../engine/context.ts';
import { observations, stopOf } from '../engine/decide.ts';
import { membersOf, type ServedCluster, sectorMembers } from '../engine/facts.ts';
import { Occupancy } from '../engine/mutexes.ts';
import type { Rules } from '../engine/rules.ts';
import { type InheritedLedger, inheritSoak, type Ledger, type Minima, observe } from '../engine/soak.ts';
import { ORGANIZATION_STOPPED } from '../views/plan.ts';
import { Agenda } from './agenda.ts';
import type { Durations } from './assumptions.ts';
import { clocksOf } from './clocks.ts';
import type { ForecastOrganization } from './forecast-organization.ts';
import { scopeOf } from './groups.ts';
import { MinimaLevels, SectorLevels } from './levels.ts';
import type { Offers } from './offers.ts';
import type { Outcomes } from './outcomes.ts';
import { RequirementKinds } from './requirement-kinds.ts';
import { isServed, Roster } from './roster.ts';
import type { Seat } from './seat.ts';
import { Situations } from './situations.ts';
import { SoakMeters } from './soak-meters.ts';
import { fixedSource, type SoakSource } from './soak-source.ts';
import { type Inherited, SteadyContext } from './steady-context.ts';
import { takeTurns } from './take-turns.ts';
import type { Task } from './task.ts';
import { noteTurn, noteWaiter } from './turn-notes.ts';
import { type Cancelled, type Happened, type Moment, UpgradeBoard } from './upgrade-board.ts';
import type { VersionRanks } from './version-ranks.ts';
import type { WaitingEntries } from './waiting-entries.ts';
import { type WatchedGates, watchedGates } from './watched-gates.ts';
import { Watches } from './watches.ts';

interface LifeParts {
  readonly from: Instant;
  readonly every: number;
  readonly rules: Rules;
  readonly durations: Durations;
  readonly offers: Offers;
  readonly ranks: VersionRanks;
  readonly outcomes: Outcomes;
  readonly entries: WaitingEntries;
}

/** What is only needed once passes are skipped. */
interface Steady {
  readonly context: SteadyContext;
  readonly meters: SoakMeters;
  readonly minima: MinimaLevels;
  readonly sectors: SectorLevels;
  readonly watches: Watches;
  readonly situations: Situations;
}

/**
 * One organization on the virtual clock. Its first passes are as the scheduler runs them. As soon as its history grows regularly,
 * it does only the passes in which something can change, and decides only about clusters that the change can concern.
 */
export class OrganizationLife implements SoakSource {
  readonly origin: ForecastOrganization;
  readonly #parts: LifeParts;
  readonly #watched: WatchedGates;
  readonly #roster: Roster;
  readonly #board: UpgradeBoard;
  readonly #agenda = new Agenda<Task>();
  readonly #dependents: { readonly life: OrganizationLife; readonly lag: 0 | 1 }[] = [];
  /** What stops it throughout. */
  readonly #fault: string | undefined;
  #pass = 0;
  #ledger: Ledger;
  #steady: Steady | undefined;

  constructor(origin: ForecastOrganization, parts: LifeParts) {
    const { facts, decision } = origin;
    this.origin = origin;
    this.#parts = parts;
    this.#watched = watchedGates(decision.gates, parts.rules);
    this.#ledger = facts.ledger;
    this.#fault = stopOf(facts, parts.rules);
    this.#roster = new Roster(facts, parts.ranks, parts.entries);
    const board = { ...parts, facts, roster: this.#roster, agenda: this.#agenda, passOf: this.#passOf };
    this.#board = new UpgradeBoard(board);
  }

  /** The next pass that can differ from the one before; infinite when there is none. */
  get next(): number {
    return this.#agenda.next;
  }

  /** Whether passes can be skipped with these gates. */
  get canSkip(): boolean {
    return !this.#watched.always;
  }

  /** As stored by the last pass; undefined before the first one. Only while no pass is skipped. */
  get ledger(): Ledger | undefined {
    return this.#ledger.checkIn === undefined ? undefined : this.#ledger;
  }

  /** The histories that it inherits, as stored. */
  inherited(): InheritedLedger[] {
    const { spec, facts } = this.origin;
    const stored = new Map(facts.inherited.map(({ scope, ledger }) => [scope, ledger]));
    return spec.inherit.map(scopeOf).map((scope) => ({ scope, ...defined({ ledger: stored.get(scope) }) }));
  }

  /** A pass as the scheduler runs it, over all clusters. Returns whether the history grows regularly from here on. */
  wholePass(pass: number, inherited: readonly InheritedLedger[]): boolean {
    const { rules } = this.#parts;
    this.#pass = pass;
    this.#board.begin(this.#moment);
    const { now } = this.#moment;
    const facts = this.#roster.facts(this.#ledger);
    const { isLate } = turnAt(this.#ledger, now, rules.maxCreditedInterval);
    if (!this.#isInert) this.#ledger = observe(this.#ledger, observations(facts, rules), now, rules);
    if (this.#fault !== undefined) this.#stop(this.#fault);
    else {
      const soak = inheritSoak(this.#ledger, inherited);
      this.#decide(contextOf({ ...facts, inherited }, soak, now, rules), this.#roster.all, []);
    }
    return !isLate || this.#isInert || !rules.observedSoakOnly;
  }

  /** From the next pass on, only what can differ is done. */
  skipFromHere(inherited: readonly (Inherited & { readonly life?: OrganizationLife })[]): void {
    const { rules, every, from } = this.#parts;
    const [pass, roster] = [this.#pass, this.#roster];
    const facts = roster.facts(this.#ledger);
    const inSectors = sectorMembers(membersOf(facts, rules), rules);
    const occupancy = new Occupancy(facts.sectors, inSectors, rules.mutexAcrossSectors);
    const counted = rules.heldClustersCount ? roster.all : roster.served;
    for (const seat of counted) if (seat.runs.length > 0) occupancy.take(seat.member);
    this.#board.occupancy = occupancy;
    const meters = new SoakMeters(this.#ledger, facts.clusters, { rules, every, pass });
    const sectors = new SectorLevels(facts.sectors, inSectors, roster.byId, pass);
    const minima = new MinimaLevels(counted, this.#ledger.minima, pass);
    const policies = { get: (id: string) => roster.byId.get(id)?.policies };
    const parts = { from, every, rules, facts, policies, occupancy, meters, sectors, inherited };
    const context = new SteadyContext({ ...parts, ownMinima: (at) => minima.at(at) });
    const [watched, agenda, passOf, gates] = [this.#watched, this.#agenda, this.#passOf, this.origin.decision.gates];
    const { outcomes } = this.#parts;
    const [clocks, kinds] = [clocksOf(roster.served), new RequirementKinds(roster.served, watched.shared)];
    this.#steady = {
      ...{ context, meters, minima, sectors },
      watches: new Watches({ roster, clocks, kinds, watched, context, agenda, passOf }),
      situations: new Situations({ gates, rules, watched, context, kinds, clocks, outcomes }),
    };
    for (const { life, lag } of inherited) if (life !== undefined) life.#dependents.push({ life: this, lag });
    if (this.#fault === undefined) this.#agenda.add(pass + 1, { what: 'all' });
  }

  /** A pass in which something can differ. */
  pass(pass: number): void {
    const steady = this.#steady;
    if (steady === undefined) return;
    this.#pass = pass;
    steady.context.pass = pass;
    const { tasks, touched: concerned, moved, released } = this.#board.begin(this.#moment);
    if (moved.length > 0 && !this.#isInert) this.#move(moved, steady, concerned);
    if (this.#fault !== undefined) return;
    for (const task of tasks) steady.watches.add(task, concerned);
    const changed = [...released, ...tasks.flatMap((task) => (task.what === 'mutexes' ? [task.seat] : []))];
    for (const seat of concerned) steady.watches.watch(seat);
    for (const { member } of changed) steady.context.occupancy.reorder(member, this.#roster.placeOf);
    this.#decide(steady.context, concerned, new Set(changed.flatMap(({ member }) => member.mutexes)));
  }

  microsAt(pass: number, version: string, workload: string): number {
    return this.#steady?.meters.microsAt(pass, version, workload) ?? 0;
  }

  sightedAt(pass: number, version: string, workload: string): number {
    return this.#steady?.meters.sightedAt(pass, version, workload) ?? 0;
  }

  earning(version: string, workload: string): number {
    return this.#steady?.meters.earning(version, workload) ?? 0;
  }

  minimaAt(pass: number): Minima | undefined {
    return this.#steady?.minima.at(pass);
  }

  /** For those who inherit its history; one that is not observed does not grow. */
  get source(): SoakSource {
    return this.#isInert ? fixedSource({ ledger: this.#ledger }) : this;
  }

  /** What was forecast, after the last pass. */
  result(to: Instant, last: number) {
    const { environment, orgId, name: organization, facts } = this.origin;
    return [...facts.clusters, ...facts.held].map(({ id, uuid, name, version }) => {
      const seat = this.#roster.byId.get(id);
      const upgrades = (seat?.upgrades ?? []).filter(({ startsAt }) => startsAt <= to);
      return {
        ...{ id, uuid, name, version, environment, orgId, organization },
        upgrades: upgrades.sort((a, b) => a.startsAt - b.startsAt),
        waiting: seat?.log.until(last) ?? [],
      };
    });
  }

  get #moment(): Moment {
    return { pass: this.#pass, now: later(this.#parts.from, this.#pass * this.#parts.every) };
  }

  /** The rules of the existing scheduler do not even observe an organization that is stopped. */
  get #isInert(): boolean {
    return this.#fault !== undefined && !this.#parts.rules.isolateFaults;
  }

  readonly #passOf = (at: number): number => Math.max(0, Math.ceil((at - this.#parts.from) / this.#parts.every));

  /** Clusters have other versions: soak, sectors and minima follow. Adds whom that can concern. */
  #move(moved: Happened['moved'], { meters, minima, sectors, watches }: Steady, concerned: Set<Seat>): void {
    for (const [seat, from] of moved) if (isServed(seat)) meters.move(seat.cluster, from, this.#pass);
    const seats = moved.map(([seat]) => seat);
    const counted = this.#parts.rules.heldClustersCount ? seats : seats.filter(isServed);
    const sectorMoved = seats.filter((seat) => sectors.moved(seat, this.#pass)).length > 0;
    const minimaMoved = counted.filter((seat) => minima.moved(seat, this.#pass)).length > 0;
    const tasks = seats.flatMap((seat) => (isServed(seat) ? soakTasks(seat.cluster) : []));
    for (const task of tasks) watches.add(task, concerned);
    if (sectorMoved) watches.addKinds(concerned, { withSector: true });
    if (minimaMoved) tasks.push({ what: 'inheritance' });
    for (const { life, lag } of this.#dependents) for (const task of tasks) life.#agenda.add(this.#pass + lag, task);
  }

  #decide(context: Context, concerned: Iterable<Seat>, mutexes: Iterable<string>): void {
    const at = this.#moment;
    const [roster, board, gates, watched] = [this.#roster, this.#board, this.origin.decision.gates, this.#watched];
    const { outcomes } = this.#parts;
    const steady = this.#steady?.context;
    const recall = this.#steady && { situations: this.#steady.situations, outcomes };
    const parts = { pass: at.pass, roster, gates, room: watched.room, context, concerned, mutexes, recall };
    const { turns, waiters, fault } = takeTurns(parts);
    if (fault !== undefined) {
      this.#stop(fault);
      return;
    }
    for (const waiter of waiters) noteWaiter(waiter);
    const cancelled = board.cancelled(at.now);
    const cancellation = itemsOf(cancelled);
    const notes = { context, steady, isSound: watched.room.every((gate) => gate.isSound?.(context) ?? false) };
    for (const turn of turns) noteTurn(turn, at, cancellation.has(turn.seat), notes);
    for (const seat of concerned) if (!cancellation.has(seat)) noteHeld(seat, at);
    for (const [{ log }, { version: to, reason }] of cancellation) log.note({ action: 'cancel', to }, at, reason);
    for (const each of cancelled) board.cancel(each, at);
    for (const { seat, item } of turns) if (item !== undefined) board.apply(seat, item, at);
  }

  /** Nothing is done; the next pass decides about all clusters again. */
  #stop(fault: string): void {
    const reason = `${ORGANIZATION_STOPPED}: ${fault}`;
    for (const { log } of this.#roster.served) log.note({ action: 'hold' }, this.#moment, reason);
    for (const seat of this.#roster.held) noteHeld(seat, this.#moment);
    if (this.#fault === undefined) this.#agenda.add(this.#pass + 1, { what: 'all' });
  }
}

const NONE: ReadonlyMap<Seat, Cancelled['item']> = new Map();

/** Hardly any pass cancels something. */
function itemsOf(cancelled: readonly Cancelled[]): ReadonlyMap<Seat, Cancelled['item']> {
  return cancelled.length === 0 ? NONE : new Map(cancelled.map(({ seat, item }) => [seat, item]));
}

/** The version of a cluster soaks faster from now on. */
function soakTasks({ version, policy: { workloads } }: ServedCluster): Task[] {
  return workloads.map((workload) => ({ what: 'soak', version, workload }));
}

function noteHeld({ log, cluster }: Seat, at: Moment): void {
  if ('held' in cluster) log.note({ action: 'hold' }, at, cluster.held);
}
