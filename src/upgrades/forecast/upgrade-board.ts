import { defined } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import type { Cancellation, ChannelSwitch, Upgrade } from '../engine/choose.ts';
import { cancellations } from '../engine/decide.ts';
import type { OrgFacts, ScheduledUpgrade } from '../engine/facts.ts';
import type { Occupancy } from '../engine/mutexes.ts';
import type { Rules } from '../engine/rules.ts';
import type { Version } from '../engine/versions.ts';
import type { Agenda } from './agenda.ts';
import type { Durations } from './assumptions.ts';
import type { Offers } from './offers.ts';
import { isServed, type Roster } from './roster.ts';
import type { Seat } from './seat.ts';
import type { Task } from './task.ts';
import { forecastUpgrade, runOf, type UpgradeRun } from './upgrade-runs.ts';
import type { VersionRanks } from './version-ranks.ts';

interface BoardParts {
  readonly roster: Roster;
  readonly facts: OrgFacts;
  readonly agenda: Agenda<Task>;
  readonly from: Instant;
  readonly rules: Rules;
  readonly durations: Durations;
  readonly offers: Offers;
  readonly ranks: VersionRanks;
  readonly passOf: (at: number) => number;
}

/** A pass, and its time. */
export interface Moment {
  readonly pass: number;
  readonly now: Instant;
}

/** What happened since the pass before. */
export interface Happened {
  readonly tasks: readonly Task[];
  /** Clusters to which something was done. */
  readonly touched: Set<Seat>;
  /** Clusters that have another version, with the one before. */
  readonly moved: readonly (readonly [Seat, Version])[];
  /** Clusters without an upgrade in progress any more. */
  readonly released: readonly Seat[];
}

/** An upgrade that is cancelled. */
export interface Cancelled {
  readonly seat: Seat;
  readonly run: UpgradeRun;
  readonly item: Cancellation;
}

/** The upgrades of an organization on the virtual clock: what is due happens, and what is decided is done. */
export class UpgradeBoard {
  readonly #parts: BoardParts;
  /** Scheduled upgrades that may still have to be cancelled. */
  #unchecked: UpgradeRun[] = [];
  #runs = 0;
  /** Where mutexes are kept from pass to pass. */
  occupancy: Occupancy | undefined;

  constructor(parts: BoardParts) {
    this.#parts = parts;
    for (const policy of parts.facts.policies) this.#schedule(policy, undefined);
    for (const at of parts.offers.releaseTimes()) parts.agenda.add(parts.passOf(at), { what: 'release' });
  }

  /** Lets happen what is due. */
  begin({ pass, now }: Moment): Happened {
    const { agenda, roster, offers } = this.#parts;
    const tasks = agenda.take(pass);
    const due = tasks.flatMap((task) => (task.what === 'run' && task.seat.runs.includes(task.run) ? [task] : []));
    const touched = new Set(tasks.flatMap((task) => (task.what === 'examine' ? [task.seat] : [])));
    for (const { seat } of due) touched.add(seat);
    const moved = this.#finish(due, now);
    const released = due.flatMap(({ seat, run }) => (isOver(run.goneAt, now) && this.#remove(seat, run) ? [seat] : []));
    const isReleased = pass === 0 || tasks.some(({ what }) => what === 'release');
    for (const seat of isReleased ? roster.all : touched) if (seat.offer(offers, now, isReleased)) touched.add(seat);
    return { tasks, touched, moved, released };
  }

  /** Ends upgrades; returns the clusters that have another version, with the one before. */
  #finish(due: readonly Extract<Task, { what: 'run' }>[], now: Instant): [Seat, Version][] {
    const { offers, ranks } = this.#parts;
    const versions = new Map<Seat, Version>();
    for (const { seat, run } of due.toSorted((a, b) => a.run.number - b.run.number)) {
      if (!isOver(run.endsAt, now) || run.policy.state === 'completed') continue;
      if (!versions.has(seat)) versions.set(seat, seat.cluster.version);
      seat.finish(run.policy, offers, now);
      run.policy = { ...run.policy, state: 'completed' };
    }
    const moved = [...versions].filter(([seat, version]) => seat.cluster.version !== version);
    for (const [seat] of moved) seat.rank = ranks(seat.cluster.version);
    return moved;
  }

  /** Which upgrades are cancelled. That depends on nothing that changes, so it is asked once for each. */
  cancelled(now: Instant): Cancelled[] {
    if (this.#unchecked.length === 0) return [];
    const runs = new Map(this.#unchecked.map((run) => [run.policy.id, run]));
    this.#unchecked = [];
    const { roster, rules, facts } = this.#parts;
    const policies = [...runs.values()].map(({ policy }) => policy);
    const seats = [...new Set(policies.flatMap(({ clusterId }) => roster.byId.get(clusterId) ?? []))];
    const clusters = seats.flatMap((seat) => (isServed(seat) ? [seat.cluster] : []));
    const held = seats.flatMap(({ cluster }) => ('held' in cluster ? [cluster] : []));
    return cancellations({ facts: { ...facts, policies, clusters, held }, rules, now }).flatMap((item) => {
      const [seat, run] = [roster.byId.get(item.clusterId), runs.get(item.policyId)];
      return seat === undefined || run === undefined ? [] : [{ seat, run, item }];
    });
  }

  cancel({ seat, run }: Cancelled, { pass }: Moment): void {
    this.#remove(seat, run);
    this.#again(seat, pass);
  }

  /** Does what was decided. */
  apply(seat: Seat, item: Upgrade | ChannelSwitch, { pass, now }: Moment): void {
    this.#again(seat, pass);
    if (item.action === 'switch-channel') {
      seat.switchTo(item.to, this.#parts.offers, now);
      return;
    }
    const { kind, clusterId, version, nextRun, nodePool } = item;
    const id = `forecast-${this.#runs}`;
    const policy = { id, kind, clusterId, version, nextRun, state: 'scheduled', ours: true, ...defined({ nodePool }) };
    this.#schedule(policy, now);
  }

  /** In the next pass it, and those that share its mutexes, see what was done. */
  #again(seat: Seat, pass: number): void {
    this.#parts.agenda.add(pass + 1, { what: 'examine', seat });
    this.#parts.agenda.add(pass + 1, { what: 'mutexes', seat });
  }

  #schedule(policy: ScheduledUpgrade, decidedAt: Instant | undefined): void {
    const { roster, durations, from, agenda, passOf } = this.#parts;
    const seat = roster.byId.get(policy.clusterId);
    if (seat === undefined) return;
    this.#runs += 1;
    const run = runOf(policy, seat.cluster, { now: decidedAt ?? from, number: this.#runs, durations });
    seat.runs = [...seat.runs, run];
    this.#unchecked.push(run);
    const upgrade = forecastUpgrade(run, seat.cluster, decidedAt);
    if (upgrade !== undefined) seat.upgrades.push(upgrade);
    const times = new Set([run.endsAt, run.goneAt].flatMap((at) => (at === undefined ? [] : [passOf(at)])));
    for (const pass of times) agenda.add(pass, { what: 'run', seat, run });
  }

  /** Returns whether the cluster has no upgrade any more. */
  #remove(seat: Seat, run: UpgradeRun): boolean {
    seat.runs = seat.runs.filter((each) => each !== run);
    if (seat.runs.length === 0) this.occupancy?.release(seat.member);
    return seat.runs.length === 0;
  }
}

function isOver(at: Instant | undefined, now: Instant): boolean {
  return at !== undefined && at <= now;
}
