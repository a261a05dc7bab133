import { type ChannelSwitch, choose, examine, Panel, type Upgrade } from '../engine/choose.ts';
import type { Context } from '../engine/context.ts';
import type { ServedCluster } from '../engine/facts.ts';
import type { ClusterGate, UpgradeGates, UpgradeVerdict } from '../engine/gate.ts';
import { KeyedHeap } from './keyed-heap.ts';
import { itemOf, type Outcome, outcomeOf } from './outcome.ts';
import type { Outcomes } from './outcomes.ts';
import { isServed, type Roster } from './roster.ts';
import type { Seat } from './seat.ts';
import type { Situations } from './situations.ts';

/** A cluster that was decided on. */
export interface Turn {
  readonly seat: Seat<ServedCluster>;
  readonly outcome: Outcome;
  readonly item: Upgrade | ChannelSwitch | undefined;
  /** Verdicts about its mutexes. */
  readonly room: readonly UpgradeVerdict[];
  /** Absent when its situation came up before; then the gate of the outcome gives it. */
  readonly reason?: string;
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
  /** Where situations come back, and what they come to. */
  readonly recall: { readonly situations: Situations; readonly outcomes: Outcomes } | undefined;
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
  /** The verdicts that were given last. */
  #room: readonly UpgradeVerdict[] = [];
  #panel: Panel | undefined;

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  run(): Turns {
    const { pass, roster, concerned, mutexes } = this.#parts;
    for (const seat of concerned) {
      seat.examinedIn = pass;
      if (isServed(seat)) this.#queue.push(roster.turnOf(seat), seat);
    }
    for (const mutex of mutexes) this.#queueSharers(mutex);
    for (let seat = this.#queue.pop(); seat !== undefined; seat = this.#queue.pop()) {
      const room = this.#roomOf(seat);
      if (seat.examinedIn !== pass && this.#isSame(seat, room)) continue;
      const turn = this.#turnOf(seat, room);
      if ('fault' in turn) return this.#stopped(turn.fault);
      this.#turns.push(turn);
      if (turn.item?.action === 'upgrade') this.#take(seat);
    }
    return { turns: this.#turns, waiters: this.#waiters };
  }

  /** A situation that came up before is not examined again. */
  #turnOf(seat: Seat<ServedCluster>, room: readonly UpgradeVerdict[]): Turn | { readonly fault: string } {
    const { context, gates, recall } = this.#parts;
    const situation = recall?.situations.of(seat, room);
    const known = situation === undefined ? undefined : recall?.outcomes.get(situation);
    if (known !== undefined) {
      const hasFault = this.#panel?.hasFault ?? false;
      return { seat, outcome: known, item: itemOf(known, seat.cluster, context), room, hasFault };
    }
    this.#panel ??= new Panel(gates, context);
    const panel = this.#panel;
    const examined = examine(seat.cluster, seat.member, panel);
    const choice = choose(examined, context, panel);
    const { item, fault } = choice;
    if (fault !== undefined) return { fault };
    const { outcome, reason } = outcomeOf(examined, choice, gates);
    if (situation !== undefined && !panel.hasFault) recall?.outcomes.set(situation, outcome);
    return { seat, outcome, item, room, reason, hasFault: panel.hasFault };
  }

  /** What is closed stays closed in this pass; the others have to wait for their turn. */
  #queueSharers(mutex: string): void {
    const { roster } = this.#parts;
    for (const seat of roster.sharers.get(mutex) ?? []) {
      if (!this.#isOpen(seat)) continue;
      const verdicts = this.#roomOf(seat);
      if ((seat.roomDecides && verdicts.every(({ ok }) => ok)) || !this.#isSame(seat, verdicts)) this.#check(seat);
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
  #isSame(seat: Seat<ServedCluster>, room: readonly UpgradeVerdict[]): boolean {
    const { room: before = [], roomDecides } = seat;
    if (room === before) return true;
    let differs = false;
    for (let index = 0; index < room.length; index += 1) {
      const [verdict, last] = [room[index] as UpgradeVerdict, before[index]];
      if (verdict === last) continue;
      if (verdict.fault !== last?.fault || (roomDecides && verdict.ok !== last?.ok)) return false;
      differs = true;
    }
    if (differs && !seat.isFirm) this.#waiters.push({ seat, room });
    return true;
  }

  /** One list for the same verdicts one after the other: those who share a mutex are asked in a row. */
  #roomOf(seat: Seat<ServedCluster>): readonly UpgradeVerdict[] {
    const { room, context } = this.#parts;
    for (let index = 0; index < room.length; index += 1) {
      const verdict = room[index]?.judge(seat, context);
      if (verdict === this.#room[index]) continue;
      this.#room = room.map((gate) => gate.judge(seat, context));
      break;
    }
    return this.#room;
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
    for (const { seat, item } of this.#turns)
      if (item?.action === 'upgrade' && seat.runs.length === 0) occupancy.release(seat.member);
    return { turns: [], waiters: [], fault };
  }
}
