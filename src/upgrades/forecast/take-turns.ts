import { type Choice, choose } from '../engine/choose.ts';
import type { Context } from '../engine/context.ts';
import { type Examined, examine } from '../engine/examine.ts';
import type { ServedCluster } from '../engine/facts.ts';
import { Panel } from '../engine/panel.ts';
import type { ClusterGate, UpgradeGates, UpgradeVerdict } from '../engine/upgrade-gate.ts';
import { KeyedHeap } from './keyed-heap.ts';
import { isServed, type Roster } from './roster.ts';
import type { Seat } from './seat.ts';

/** A cluster that was decided on. */
export interface Turn {
  readonly seat: Seat<ServedCluster>;
  readonly examined: Examined;
  readonly choice: Choice;
  /** Whether some gate could not be evaluated so far in this pass. */
  readonly hasFault: boolean;
}

/** A cluster that waits for the same gate as before, perhaps for another reason. */
interface Waiter {
  readonly seat: Seat;
  readonly room: readonly UpgradeVerdict[];
}

export interface Turns {
  readonly turns: readonly Turn[];
  readonly waiters: readonly Waiter[];
  /** What stops the organization in this pass; nothing of it counts then. */
  readonly fault?: string;
}

interface TurnParts {
  readonly pass: number;
  readonly roster: Roster;
  readonly gates: UpgradeGates;
  /** The gates about mutexes. */
  readonly room: readonly ClusterGate[];
  readonly context: Context;
  /** Clusters that have to be decided on. */
  readonly concerned: Iterable<Seat>;
  /** Mutexes that were taken or released; who shares them is decided on only if that makes a difference. */
  readonly mutexes: Iterable<string>;
}

/** Lets clusters take turns as in a whole pass, those on the lowest versions first, but only those that something can concern. */
export function takeTurns(parts: TurnParts): Turns {
  return new TurnTaking(parts).run();
}

class TurnTaking {
  readonly #parts: TurnParts;
  readonly #queue = new KeyedHeap<Seat<ServedCluster>>();
  readonly #turns: Turn[] = [];
  readonly #waiters: Waiter[] = [];

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  run(): Turns {
    const { gates, context, pass, roster, concerned, mutexes } = this.#parts;
    const panel = new Panel(gates, context);
    for (const seat of concerned) {
      seat.examinedIn = pass;
      if (isServed(seat)) this.#queue.push(roster.turnOf(seat), seat);
    }
    for (const mutex of mutexes) this.#queueSharers(mutex);
    for (let seat = this.#queue.pop(); seat !== undefined; seat = this.#queue.pop()) {
      if (seat.examinedIn !== pass && this.#isSame(seat)) continue;
      const examined = examine(seat.cluster, seat.member, panel);
      const choice = choose(examined, context, panel);
      if (choice.fault !== undefined) return this.#stopped(choice.fault);
      this.#turns.push({ seat, examined, choice, hasFault: panel.hasFault });
      if (choice.item?.action === 'upgrade') this.#take(seat);
    }
    return { turns: this.#turns, waiters: this.#waiters };
  }

  /** What is closed stays closed in this pass; the others have to wait for their turn. */
  #queueSharers(mutex: string): void {
    const { roster, room, context } = this.#parts;
    for (const seat of roster.sharers.get(mutex) ?? []) {
      if (!this.#isOpen(seat)) continue;
      const isFree = room.every((gate) => gate.judge(seat, context).ok);
      if (isFree || !this.#isSame(seat)) this.#check(seat);
    }
  }

  /** Not decided on in this pass yet, and read its mutexes the last time. */
  #isOpen({ room, examinedIn, checkedIn }: Seat): boolean {
    const { pass } = this.#parts;
    return room !== undefined && examinedIn !== pass && checkedIn !== pass;
  }

  #check(seat: Seat<ServedCluster>): void {
    const { pass, roster } = this.#parts;
    seat.checkedIn = pass;
    this.#queue.push(roster.turnOf(seat), seat);
  }

  /** Whether what its mutexes say leads to the same as the last time. */
  #isSame(seat: Seat<ServedCluster>): boolean {
    const { room, context } = this.#parts;
    const { room: before = [], roomDecides } = seat;
    let differs = false;
    for (const [index, gate] of room.entries()) {
      const [verdict, last] = [gate.judge(seat, context), before[index]];
      if (verdict === last) continue;
      if (verdict.fault !== last?.fault || (roomDecides && verdict.ok !== last?.ok)) return false;
      differs = true;
    }
    if (differs) this.#waiters.push({ seat, room: room.map((gate) => gate.judge(seat, context)) });
    return true;
  }

  /** Whoever shares the mutexes and has its turn later in this pass sees that they are taken. */
  #take(taker: Seat<ServedCluster>): void {
    const { roster, context } = this.#parts;
    context.occupancy.take(taker.member);
    const turn = roster.turnOf(taker);
    for (const mutex of taker.member.mutexes) {
      for (const seat of roster.sharers.get(mutex) ?? [])
        if (this.#isOpen(seat) && roster.turnOf(seat) > turn) this.#check(seat);
    }
  }

  #stopped(fault: string): Turns {
    const { occupancy } = this.#parts.context;
    for (const { seat, choice } of this.#turns)
      if (choice.item?.action === 'upgrade' && seat.runs.length === 0) occupancy.release(seat.member);
    return { turns: [], waiters: [], fault };
  }
}
