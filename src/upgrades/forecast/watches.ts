import { isVersion, type Version } from '../engine/versions.ts';
import type { Agenda } from './agenda.ts';
import { type Clock, clockUntil, judgeClock } from './clocks.ts';
import type { Kind, RequirementKinds } from './requirement-kinds.ts';
import type { Roster } from './roster.ts';
import type { Seat } from './seat.ts';
import type { SteadyContext } from './steady-context.ts';
import type { Task } from './task.ts';
import { hasFault } from './verdict-digits.ts';
import type { WatchedGates } from './watched-gates.ts';

interface WatchParts {
  readonly roster: Roster;
  readonly clocks: readonly Clock[];
  readonly kinds: RequirementKinds;
  readonly watched: WatchedGates;
  readonly context: SteadyContext;
  readonly agenda: Agenda<Task>;
  /** The first pass at or after a time. */
  readonly passOf: (at: number) => number;
}

/** Which clusters a change can concern, and when the next one can come. */
export class Watches {
  readonly #parts: WatchParts;
  readonly #clocks: readonly Clock[];
  readonly #kinds: RequirementKinds;

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#clocks = parts.clocks;
    this.#kinds = parts.kinds;
  }

  /** Adds the clusters that a task can concern. */
  add(task: Task, concerned: Set<Seat>): void {
    const pass = this.#parts.context.pass;
    switch (task.what) {
      case 'all':
        for (const seat of this.#parts.roster.all) concerned.add(seat);
        for (const clock of this.#clocks) this.#judgeClock(clock, concerned);
        this.addKinds(concerned);
        break;
      case 'inheritance':
        this.addKinds(concerned);
        break;
      case 'clock':
        this.#judgeClock(task.clock, concerned);
        break;
      case 'soak':
        for (const kind of this.#kinds.soaking(task.version, task.workload)) this.#judge(kind, task.version, concerned);
        break;
      case 'kind':
        if (task.kind.due.get(task.version) === pass) this.#judge(task.kind, task.version, concerned);
        break;
      default:
    }
  }

  /** Adds those for which a gate says something else about a version that they are offered. */
  addKinds(concerned: Set<Seat>, which: { readonly withSector?: boolean } = {}): void {
    for (const kind of this.#kinds.all(which))
      for (const version of kind.open.keys()) this.#judge(kind, version, concerned);
  }

  /** From now on the versions that a cluster is offered are watched, and not those that it was offered before. */
  watch(seat: Seat): void {
    const kind = this.#kinds.of(seat);
    const { availableUpgrades } = seat.cluster;
    if (kind === undefined || seat.watched === availableUpgrades) return;
    const versions = availableUpgrades.filter(isVersion);
    this.#kinds.offer(kind, versions, seat.watched.filter(isVersion));
    seat.watched = availableUpgrades;
    for (const version of versions) if (!kind.open.has(version)) this.#judge(kind, version, new Set());
  }

  #judgeClock(clock: Clock, concerned: Set<Seat>): void {
    const { context, watched, agenda, passOf } = this.#parts;
    if (judgeClock(clock, watched.window, context)) {
      const concernsAll = hasFault(clock.open);
      for (const seat of clock.seats) if (concernsAll || !seat.isFirm) concerned.add(seat);
    }
    const next = Math.max(context.pass + 1, passOf(clockUntil(clock, watched.window, context)));
    if (clock.due > context.pass && clock.due <= next) return;
    clock.due = next;
    agenda.add(next, { what: 'clock', clock });
  }

  #judge(kind: Kind, version: Version, concerned: Set<Seat>): void {
    const { context, agenda, passOf } = this.#parts;
    if (this.#kinds.judge(kind, version, context)) for (const seat of kind.seats) concerned.add(seat);
    const outlook = { soak: context.soak, soaking: context.earning, now: context.now };
    const next = Math.max(context.pass + 1, passOf(this.#kinds.opensAt(kind, version, outlook)));
    const due = kind.due.get(version) ?? 0;
    if (due > context.pass && due <= next) return;
    kind.due.set(version, next);
    agenda.add(next, { what: 'kind', kind, version });
  }
}
