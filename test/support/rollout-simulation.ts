import { isDeepStrictEqual } from 'node:util';
import { memoize, sha256Of } from '../../src/base/index.ts';
import { type Instant, instantOf, later, MICROS, secondText } from '../../src/gates/index.ts';
import {
  decideRollouts,
  EMPTY_RECORD,
  explainShards,
  forecastRollouts,
  formatRecord,
  type LiveShard,
  type Move,
  needsStoring,
  parseRecord,
  type RolloutEvent,
  type RolloutFile,
  type RolloutOptions,
  type RolloutRecord,
  type RolloutsDecision,
  requireRollouts,
  type ScopeFacts,
  type ShadowRecord,
  type ShardFacts,
  type Stop,
  type WaveReport,
} from '../../src/rollouts/index.ts';
import { checkDecision } from './rollout-oracle.ts';
import { NEW_LEDGER, type OracleLedger, type OracleOverrule, type OracleRules } from './rollout-oracle-ledger.ts';
import { type Dice, dice } from './upgrade-simulation-dice.ts';

const START_MS = Date.parse('2026-11-16T06:00:00Z');
export const SIM_PERIOD = MICROS.minute;

type Behaviour = 'good' | 'crashes' | 'crashes later' | 'never ready';

interface SimShard {
  readonly name: string;
  readonly workload: ShardFacts['workload'];
  image?: string;
  /** Changes with every write; a write states the one that it saw. */
  version: number;
  since: number;
  pinned?: string;
  disabled: boolean;
  /** Somebody stopped it. */
  stopped?: Stop;
  unseenUntil: number;
}

/** The dry runs of a shard on both images, in the cluster: they are there whoever started them. */
interface SimShadow extends Pick<ShadowRecord, 'image' | 'baseline' | 'at'> {
  readonly endsAt: number;
  readonly isBroken: boolean;
}

interface Stored {
  readonly bytes: Uint8Array;
  readonly version: number;
  readonly ledger: OracleLedger;
}

/** A process that runs passes; it keeps its record in memory while the stored version is the one it knows. */
interface Manager {
  /** Microseconds that its clock is off. */
  skew: number;
  known?: {
    readonly version: number;
    readonly record: RolloutRecord;
    readonly stored: RolloutRecord;
    readonly ledger: OracleLedger;
  };
}

export type Fault =
  | 'crash'
  | 'lost answer'
  | 'two managers'
  | 'clock jump'
  | 'lost record'
  | 'stale record'
  | 'shard added'
  | 'shard removed'
  | 'unseen'
  | 'target changes'
  | 'pin'
  | 'unpin'
  | 'disable'
  | 'enable'
  | 'edit by hand'
  | 'stop by hand'
  | 'start by hand'
  | 'delete by hand'
  | 'delete the track'
  | 'restore the track'
  | 'pause'
  | 'expedite'
  | 'reject'
  | 'resume'
  | 'metrics down'
  | 'shadow removed'
  | 'accept the shadow';

/** What can go wrong without anybody doing something. */
export const ACCIDENTS: readonly Fault[] = [
  'crash',
  'lost answer',
  'two managers',
  'unseen',
  'metrics down',
  'shadow removed',
];
export const FAULTS: readonly Fault[] = [
  ...ACCIDENTS,
  ...([
    'clock jump',
    'lost record',
    'stale record',
    'shard added',
    'shard removed',
    'target changes',
    'pin',
    'unpin',
  ] as const),
  ...([
    'disable',
    'enable',
    'edit by hand',
    'stop by hand',
    'start by hand',
    'delete by hand',
    'delete the track',
    'restore the track',
    'pause',
    'expedite',
    'reject',
    'resume',
    'accept the shadow',
  ] as const),
];

/** What people do to stop an image in the middle of its rollout. */
export const BRAKES = [
  ...(['pin', 'disable', 'edit by hand', 'delete the track', 'stale record'] as const),
  ...(['pin at once', 'disable at once', 'edit by hand at once'] as const),
  ...(['stop by hand', 'stop by hand at once', 'delete by hand', 'delete by hand at once'] as const),
] as const;

/** A pass ended early, as by kill -9 or an answer that never came. */
class Died extends Error {}

/** A virtual fleet, its managers, and everything that can happen to them. */
export class RolloutSimulation {
  readonly violations: string[] = [];
  readonly counts = new Map<string, number>();
  minute = 0;
  target: string;
  last: { readonly decision: RolloutsDecision; readonly facts: ScopeFacts; readonly record: RolloutRecord } | undefined;
  readonly shards = new Map<string, SimShard>();
  /** First forward move of each wave to each image, and when a track completed, by the clock of the world. */
  readonly starts = new Map<string, number>();
  readonly #dice: Dice;
  readonly #behaviours = new Map<string, Behaviour>();
  /** Actions that only the image would take, on every third shard. */
  readonly #differences = new Map<string, number>();
  readonly #shadows = new Map<string, SimShadow>();
  readonly #isQuiet: boolean;
  readonly #shape: ReturnType<typeof shapeOf>;
  readonly #managers: Manager[] = [{ skew: 0 }, { skew: 0 }];
  readonly #history: Stored[] = [];
  readonly #overrules: OracleOverrule[] = [];
  #stored: Stored | undefined;
  #leader = 0;
  #hasTrack = true;
  #images = 1;
  #metricsDownUntil = 0;
  #deadly: { call: number; after: boolean } | undefined;
  /** The call of a pass at which the other manager takes over and makes a pass of its own. */
  #overtaken: number | undefined;
  #calls = 0;
  #latency: number;

  constructor(seed: number, options: { readonly isQuiet?: boolean } = {}) {
    this.#dice = dice(seed, 'rollout');
    this.#isQuiet = options.isQuiet === true;
    this.#latency = this.#isQuiet ? 0 : this.#dice.int(0, 2);
    this.#shape = shapeOf(this.#dice);
    this.target = imageOf(1);
    this.#behaviours.set(this.target, 'good');
    for (const name of this.#shape.names) this.#add(name, this.target);
  }

  #add(name: string, image?: string): void {
    const workload = this.#dice.chance(0.1) ? 'CronJob' : 'Deployment';
    const shard: SimShard = { name, workload, version: 1, since: this.minute - 60, disabled: false, unseenUntil: 0 };
    if (image !== undefined) shard.image = image;
    this.shards.set(name, shard);
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  now(manager: Manager = this.#managers[this.#leader] as Manager): Instant {
    return (instantOf(START_MS + this.minute * 60_000) + manager.skew) as Instant;
  }

  /** Declares a new image. */
  declare(behaviour: Behaviour = 'good'): void {
    this.#images += 1;
    this.target = imageOf(this.#images);
    this.#behaviours.set(this.target, behaviour);
    this.count(`image ${behaviour}`);
  }

  declareAny(): void {
    if (this.#images > 2 && this.#dice.chance(0.3)) this.target = imageOf(this.#dice.int(1, this.#images));
    else {
      this.declare(this.#dice.pick(['good', 'good', 'crashes', 'crashes later', 'never ready']));
      if (this.#dice.chance(0.4)) this.#differences.set(this.target, this.#dice.int(1, 2));
    }
  }

  file(
    lifted: Partial<{ window: boolean; freezes: boolean; parallel: boolean; overrules: OracleOverrule[] }> = {},
  ): RolloutFile {
    const { waves, hours, freezes, track } = this.#shape;
    const overrules = [...this.#overrules, ...(lifted.overrules ?? [])];
    const document = {
      tracks: this.#hasTrack
        ? [
            {
              ...track,
              waves: waves.map(({ name, shards, soakMinutes, maxParallel }) => ({
                ...{ name, soak: `${soakMinutes}m`, maxParallel: lifted.parallel === true ? 1_000 : maxParallel },
                ...(shards === undefined ? {} : { shards }),
              })),
              ...(hours === undefined || lifted.window === true ? {} : { window: `* ${hours[0]}-${hours[1]} * * *` }),
            },
          ]
        : [],
      queries: [{ name: 'q', promql: 'x', expect: { max: 0 } }],
      freezes:
        lifted.freezes === true
          ? []
          : freezes.map(([from, until], at) => ({ name: `f${at}`, reason: 'r', from: iso(from), until: iso(until) })),
      overrules: this.#hasTrack
        ? overrules.map(({ action, image, digest, at, until }) => ({
            track: 't',
            action,
            image,
            ...(digest === undefined ? {} : { digest }),
            at: iso(at),
            reason: 'r',
            ...(until === undefined ? {} : { until: iso(until) }),
          }))
        : [],
    };
    return parsed(JSON.stringify(document));
  }

  rules(): OracleRules {
    const { waves, hours, freezes, track } = this.#shape;
    return {
      ...{ waves, frozen: freezes, overrules: this.#overrules, hasTrack: this.#hasTrack, maxRestarts: 1 },
      hasQueries: track.health.queries.length > 0,
      ...(track.shadow === undefined ? {} : { shadow: track.shadow.maxDifferences }),
      ...(hours === undefined ? {} : { hours }),
    };
  }

  facts(): ScopeFacts {
    const isDown = this.minute < this.#metricsDownUntil;
    return {
      ...{ environment: 'prod', upstream: 'u', target: this.target, isComplete: true },
      shards: [...this.shards.values()].map((shard) => this.#factsOf(shard, isDown)),
      ...(isDown ? { queriesFault: 'no answer' } : {}),
    };
  }

  #factsOf(shard: SimShard, isDown: boolean): ShardFacts {
    const { name, workload, pinned, disabled, unseenUntil, image } = shard;
    const seen = this.minute >= unseenUntil;
    return {
      ...{ id: `i/${name}`, integration: 'i', shard: name, cluster: 'c', namespace: 'n', workload, disabled, seen },
      ...(workload === 'CronJob' ? { schedule: '*/3 * * * *' } : {}),
      ...(pinned === undefined ? {} : { pinned }),
      ...(image === undefined || !seen ? {} : { live: this.#live(shard, image, isDown), ...this.#compared(shard) }),
    };
  }

  #compared({ name, image: live }: SimShard): Pick<ShardFacts, 'shadow' | 'shadowRuns'> {
    const runs = this.#shadows.get(name);
    if (runs === undefined || runs.image !== this.target || runs.baseline !== live) return {};
    const { endsAt, isBroken, ...shadow } = runs;
    if (this.minute < endsAt) return { shadowRuns: runs.image };
    if (isBroken) return { shadow: { ...shadow, result: 'inconclusive', differences: 0, text: 'a run failed' } };
    const found = Number(name.slice(1)) % 3 === 0 ? (this.#differences.get(runs.image) ?? 0) : 0;
    if (found === 0) return { shadow: { ...shadow, result: 'same', differences: 0 } };
    return { shadow: { ...shadow, result: 'different', differences: found, digest: digestOf(runs.image) } };
  }

  #live(shard: SimShard, image: string, isDown: boolean): LiveShard {
    const { stopped } = shard;
    const answers = isDown ? {} : { queries: { q: 'expected' as const } };
    if (stopped === undefined) return { ...this.#running(shard, image), ...answers };
    // 0 of 0 pods are ready.
    return { image, converged: true, ready: true, restarts: 0, stopped, ...answers };
  }

  #running({ workload, since, disabled }: SimShard, image: string): LiveShard {
    const age = this.minute - since;
    const behaviour = disabled ? 'good' : (this.#behaviours.get(image) ?? 'good');
    const sick = behaviour === 'crashes' ? age : behaviour === 'crashes later' ? Math.max(0, age - 7) : 0;
    const ready = behaviour !== 'never ready' && age >= this.#latency && sick % 2 === 0;
    const slot = (Math.floor(since / 3) + 1) * 3;
    const startedAt = instantOf(START_MS + slot * 60_000);
    const state = sick > 0 ? ('failed' as const) : ('succeeded' as const);
    return {
      ...{ image, converged: age >= this.#latency, ready, restarts: workload === 'CronJob' ? 0 : sick },
      ...(workload === 'CronJob' && this.minute >= slot ? { jobs: [{ image, startedAt, state }] } : {}),
    };
  }

  /** One minute: what happens, and the pass of the leader. */
  step(faults: readonly Fault[], probability: number): void {
    if (faults.length > 0 && this.#dice.chance(probability)) this.#happen(this.#dice.pick(faults));
    this.runPass();
    this.minute += 1;
  }

  /** A pass of the leader; what is set to happen in it happens at one of its calls. */
  runPass(): void {
    this.#calls = 0;
    try {
      this.#pass(this.#managers[this.#leader] as Manager, this.#leader);
    } catch (thrown) {
      if (!(thrown instanceof Died)) throw thrown;
      for (const manager of this.#managers) delete manager.known;
    }
    this.#deadly = undefined;
    this.#overtaken = undefined;
  }

  /** Whether the process dies at this call: before it has an effect, or after. */
  #call(effect: () => void): void {
    this.#calls += 1;
    if (this.#overtaken === this.#calls) this.#overtake();
    const dies = this.#deadly?.call === this.#calls ? this.#deadly : undefined;
    if (dies?.after === false) throw new Died();
    effect();
    if (dies?.after === true) throw new Died();
  }

  /** The lease went to the other manager, which decides from what is stored now. */
  #overtake(): void {
    this.#overtaken = undefined;
    this.#leader = 1 - this.#leader;
    this.#pass(this.#managers[this.#leader] as Manager, this.#leader);
  }

  #pass(manager: Manager, own: number): void {
    const facts = this.facts();
    this.#call(() => undefined);
    const observed = new Map([...this.shards].map(([name, { version }]) => [name, version]));
    const version = this.#stored?.version ?? 0;
    this.#call(() => undefined);
    const before = manager.known?.version === version ? manager.known : loadedOf(this.#stored);
    const { decision, ledger } = this.#decide(facts, before, this.now(manager));
    const writes = decision.tracks.flatMap((track) => [...track.moves, ...track.returns]);
    manager.known = { version, record: decision.record, stored: before.stored, ledger };
    if (writes.length > 0 || needsStoring(before.stored, decision.record)) {
      this.#call(() => {
        if (this.#leader !== own || (this.#stored?.version ?? 0) !== version) throw new Died();
        const { record } = decision;
        manager.known = { version: this.#save(record, ledger), record, stored: record, ledger };
      });
    }
    for (const { id, image } of writes)
      if (this.#leader === own) this.#call(() => this.#write(id.slice(2), image, observed));
    if (this.#leader === own) this.#compare(decision, facts, this.now(manager));
    this.#note(decision);
  }

  /** Removes what was read or is not wanted any more, and starts what is wanted. */
  #compare({ tracks }: RolloutsDecision, { shards }: ScopeFacts, at: Instant): void {
    const wanted = new Map(tracks.flatMap((track) => track.shadows).map((shadow) => [shadow.id.slice(2), shadow]));
    const running = new Set(shards.filter(({ shadowRuns }) => shadowRuns !== undefined).map(({ shard }) => shard));
    for (const name of [...this.#shadows.keys()])
      if (!wanted.has(name) || !running.has(name)) this.#call(() => void this.#shadows.delete(name));
    for (const [name, { image, baseline }] of wanted) {
      if (running.has(name)) continue;
      const endsAt = this.minute + (this.#isQuiet ? 1 : this.#dice.int(1, 6));
      const isBroken = !this.#isQuiet && this.#dice.chance(0.1);
      this.#call(() => void this.#shadows.set(name, { image, baseline, at, endsAt, isBroken }));
      this.count('shadows');
    }
  }

  #decide(seen: ScopeFacts, before: { record: RolloutRecord; ledger: OracleLedger }, now: Instant) {
    const time = { now, period: SIM_PERIOD };
    const facts = this.#kept(seen);
    const decision = decideRollouts(this.file(), [facts], before.record, time);
    this.#checkKept(decision, facts, before.record, time);
    const { ledger, violations } = checkDecision(before.ledger, decision, facts, this.rules(), time);
    this.violations.push(...violations.map((what) => `minute ${this.minute}: ${what}`));
    this.#checkExplained(decision);
    this.last = { decision, facts, record: before.record };
    return { decision, ledger };
  }

  /** The facts of the last pass where they are the same, as a manager keeps them. */
  #kept(facts: ScopeFacts): ScopeFacts {
    const last = this.last?.facts;
    const same = <Value>(known: Value | undefined, now: Value): Value =>
      known !== undefined && isDeepStrictEqual(known, now) ? known : now;
    const shards = facts.shards.map((shard, at) => same(last?.shards[at], shard));
    const isKept = last?.shards.length === shards.length && shards.every((shard, at) => shard === last.shards[at]);
    return same(last, { ...facts, shards: isKept ? last.shards : shards });
  }

  /** R7: what was kept of earlier passes makes no difference. */
  #checkKept(decision: RolloutsDecision, facts: ScopeFacts, record: RolloutRecord, time: RolloutOptions): void {
    const isKept = facts === this.last?.facts && decision.tracks.some(({ state }) => state === 'complete');
    if (isKept) this.count('passes of kept facts');
    const [file, ...copies] = structuredClone([this.file(), facts, record] as const);
    const again = decideRollouts(file, [copies[0]], copies[1], time);
    if (!isDeepStrictEqual(again, decision)) this.violations.push(`minute ${this.minute}: R7: another decision`);
  }

  #save(record: RolloutRecord, ledger: OracleLedger): number {
    const version = (this.#history.at(-1)?.version ?? 0) + 1;
    this.#stored = { bytes: formatRecord(record), version, ledger };
    this.#history.push(this.#stored);
    return version;
  }

  #write(name: string, image: string, observed: ReadonlyMap<string, number>): void {
    const shard = this.shards.get(name);
    if (shard === undefined || observed.get(name) !== shard.version) return;
    // Whoever scaled it holds its replicas: the plan has a conflict. Of the others only the image is written.
    if (shard.stopped !== 'scaled to 0') this.#set(shard, image);
  }

  #set(shard: SimShard, image: string): void {
    shard.image = image;
    shard.version += 1;
    shard.since = this.minute;
  }

  #stop(shard: SimShard): void {
    const { workload } = shard;
    shard.stopped = workload === 'CronJob' ? 'suspended' : this.#dice.pick(['scaled to 0', 'paused']);
    shard.version += 1;
  }

  #startAgain(shard: SimShard): void {
    if (shard.stopped === undefined) return;
    delete shard.stopped;
    shard.version += 1;
    shard.since = this.minute;
  }

  #delete(shard: SimShard): void {
    delete shard.image;
    delete shard.stopped;
    shard.version += 1;
  }

  #note(decision: RolloutsDecision): void {
    this.#writePins();
    for (const { moves, returns, waves, target, state } of decision.tracks) {
      for (const move of moves) this.#noteMove(move, waves);
      for (const _ of returns) this.count('returns');
      if (state === 'complete') this.#start(`complete ${target}`);
      this.count(`passes ${state}`);
    }
  }

  #noteMove({ id, image, isBack }: Move, waves: readonly WaveReport[]): void {
    const wave = waves.find(({ shards }) => shards.includes(id))?.name ?? '';
    this.count(isBack ? 'moves back' : 'moves forward');
    if (!isBack) this.#start(`${wave} ${image}`);
  }

  #start(what: string): void {
    if (!this.starts.has(what)) this.starts.set(what, this.now());
  }

  /** Pins are written as before, whatever tracks say. */
  #writePins(): void {
    for (const shard of this.shards.values()) {
      const { pinned, image, unseenUntil } = shard;
      if (pinned !== undefined && image !== pinned && this.minute >= unseenUntil) this.#set(shard, pinned);
    }
  }

  /** Every held shard has a closed gate. */
  #checkExplained(decision: RolloutsDecision): void {
    const explained = new Map(explainShards(decision).map((row) => [row.id, row]));
    const holds = [
      ...decision.tracks.flatMap((track) => track.holds),
      ...decision.orphans.flatMap(({ hold }) => hold ?? []),
    ];
    for (const { id } of holds) {
      const rows = explained.get(id)?.rows ?? [];
      if (!rows.some(({ ok }) => !ok))
        this.violations.push(`minute ${this.minute}: ${id} is held, and no gate is closed`);
    }
  }

  /** What the stored record says happened. */
  history(): readonly RolloutEvent[] {
    return [...loadedOf(this.#stored).record.scopes.values()].flatMap((scope) => scope.history);
  }

  forecast() {
    return forecastRollouts(this.file(), [this.facts()], loadedOf(this.#stored).record, {
      now: this.now(),
      period: SIM_PERIOD,
    });
  }

  /** Lifts what the explanation of a held shard names; returns what was lifted, and whether the shard then moves. */
  lift(): { readonly gates: string[]; readonly moves: boolean } | undefined {
    const { last } = this;
    const held = last?.decision.tracks.flatMap(({ holds }) => holds) ?? [];
    if (last === undefined || held.length === 0) return undefined;
    const { id } = this.#dice.pick(held);
    const found = explainShards(last.decision).find((row) => row.id === id);
    const gates = (found?.rows ?? []).flatMap(({ ok, gate }) => (ok ? [] : [gate]));
    const decidedAt = last.decision.record.checkIn ?? this.now();
    const file = this.#lifted(gates, found?.image ?? '', later(decidedAt, MICROS.second));
    const time = { now: later(decidedAt, 2 * MICROS.second), period: SIM_PERIOD };
    const facts = enabled(last.facts, gates, { id, image: found?.image ?? '', at: time.now });
    const { tracks } = decideRollouts(file, [facts], last.decision.record, time);
    const written = tracks.flatMap(({ moves, returns }) => [...moves, ...returns]);
    return { gates, moves: written.some((write) => write.id === id) };
  }

  /** The file with what opens some gates for an image. */
  #lifted(gates: readonly string[], image: string, at: Instant): RolloutFile {
    const until = later(at, MICROS.hour);
    const kept = this.#overrules.splice(0, this.#overrules.length);
    this.#overrules.push(...kept.filter(({ action }) => !(gates.includes('paused') && action === 'pause')));
    const file = this.file({
      ...{ window: gates.includes('window'), freezes: gates.includes('freeze') },
      // Others of the track move with it, and would take its place.
      parallel: true,
      overrules: [
        ...(gates.includes('halted') || gates.includes('rejected') ? [{ action: 'resume' as const, image, at }] : []),
        ...(gates.includes('shadow') ? [{ action: 'accept-shadow' as const, image, digest: digestOf(image), at }] : []),
        ...(gates.includes('wave') ? [{ action: 'expedite' as const, image, at, until }] : []),
      ],
    });
    this.#overrules.splice(0, this.#overrules.length, ...kept);
    return file;
  }

  /**
   * Does what somebody does to stop an image, to a shard that was seen on it and has not soaked it, or that no pass has seen on it
   * yet; false while there is none.
   */
  stop(action: (typeof BRAKES)[number]): boolean {
    const known = [...(this.last?.decision.record.scopes.values() ?? [])][0]?.shards;
    const isAtOnce = action.endsWith(' at once');
    const shard = [...this.shards.values()].find(({ name, image: live }) => {
      const { image, good } = known?.get(`i/${name}`) ?? {};
      return live === this.target && (image === this.target) === !isAtOnce && good !== this.target;
    });
    if (shard === undefined) return false;
    const other = imageOf(99);
    const pin = (): void => {
      shard.pinned = other;
    };
    const disable = (): void => {
      shard.disabled = true;
    };
    const edit = (): void => this.#set(shard, other);
    const stop = (): void => this.#stop(shard);
    const remove = (): void => this.#delete(shard);
    const brakes: Readonly<Record<(typeof BRAKES)[number], () => void>> = {
      ...{ pin, 'pin at once': pin, disable, 'disable at once': disable },
      ...{ 'edit by hand': edit, 'edit by hand at once': edit },
      ...{ 'stop by hand': stop, 'stop by hand at once': stop },
      ...{ 'delete by hand': remove, 'delete by hand at once': remove },
      'delete the track': () => {
        this.#hasTrack = false;
      },
      'stale record': () => this.#restore(),
    };
    brakes[action]();
    return true;
  }

  #happen(fault: Fault): void {
    this.count(`fault ${fault}`);
    const shard = this.#dice.pick([...this.shards.values()]);
    const events = { ...this.#accidents(shard), ...this.#changes(shard), ...this.#decisions(shard) };
    events[fault]?.();
  }

  #accidents(shard: SimShard): Partial<Record<Fault, () => void>> {
    const die = (after: boolean) => () => {
      this.#deadly = { call: this.#dice.int(1, 7), after };
    };
    return {
      crash: die(false),
      'lost answer': die(true),
      'two managers': () => {
        this.#overtaken = this.#dice.int(1, 7);
      },
      'clock jump': () => {
        this.#managers[this.#leader] = { skew: this.#dice.int(-90, 90) * MICROS.minute };
      },
      'lost record': () => {
        this.#stored = undefined;
      },
      'stale record': () => this.#restore(),
      unseen: () => {
        shard.unseenUntil = this.minute + this.#dice.int(1, 20);
      },
      'shadow removed': () => this.#shadows.delete(shard.name),
      'metrics down': () => {
        this.#metricsDownUntil = this.minute + this.#dice.int(1, 15);
      },
    };
  }

  /** Somebody restores an old record. */
  #restore(): void {
    if (this.#history.length === 0) return;
    const version = (this.#history.at(-1)?.version ?? 0) + 1;
    this.#stored = { ...this.#dice.pick(this.#history), version };
    this.#history.push(this.#stored);
  }

  #changes(shard: SimShard): Partial<Record<Fault, () => void>> {
    return {
      'shard added': () => this.#add(`n${this.minute}`),
      'shard removed': () => this.shards.size > 2 && this.shards.delete(shard.name),
      'target changes': () => this.declareAny(),
      'edit by hand': () => this.#set(shard, this.#dice.pick([imageOf(1), this.target, imageOf(99)])),
      'stop by hand': () => this.#stop(shard),
      'start by hand': () => {
        for (const one of this.shards.values()) this.#startAgain(one);
      },
      'delete by hand': () => this.#delete(shard),
      'delete the track': () => {
        this.#hasTrack = false;
      },
      'restore the track': () => {
        this.#hasTrack = true;
      },
    };
  }

  #decisions(shard: SimShard): Partial<Record<Fault, () => void>> {
    const { target: image } = this;
    const at = this.now();
    const until = later(at, this.#dice.int(1, 3) * MICROS.hour);
    const decide = (overrule: OracleOverrule) => () => void this.#overrules.push(overrule);
    return {
      pin: () => {
        shard.pinned = this.#dice.pick([imageOf(1), image]);
      },
      unpin: () => {
        for (const one of this.shards.values()) delete one.pinned;
      },
      disable: () => {
        shard.disabled = true;
      },
      enable: () => {
        for (const one of this.shards.values()) one.disabled = false;
      },
      pause: decide({ action: 'pause', image, at, until }),
      expedite: decide({ action: 'expedite', image, at, until }),
      reject: decide({ action: 'reject', image, at }),
      resume: decide({ action: 'resume', image, at }),
      'accept the shadow': decide({ action: 'accept-shadow', image, digest: digestOf(image), at }),
    };
  }
}

/** Every pass reads the same few files. */
const parsed = memoize(100, (text) => requireRollouts(text, 'rollouts.yml'));

/** With one shard enabled and compared, and queries that are answered. */
function enabled(
  { queriesFault: _, ...facts }: ScopeFacts,
  gates: readonly string[],
  { id, image, at }: { readonly id: string; readonly image: string; readonly at: Instant },
): ScopeFacts {
  const shards = facts.shards.map((shard) => {
    if (shard.id !== id) return shard;
    const { disabled, live } = shard;
    const shadow = { image, baseline: live?.image ?? '', at, result: 'same' as const, differences: 0 };
    return {
      ...{ ...shard, disabled: disabled && !gates.includes('pinned') },
      ...(gates.includes('shadow') ? { shadow } : {}),
    };
  });
  return { ...facts, shards };
}

function digestOf(image: string): string {
  return `sha256:${sha256Of(image)}`;
}

function loadedOf(stored: Stored | undefined) {
  if (stored === undefined) return { version: 0, record: EMPTY_RECORD, stored: EMPTY_RECORD, ledger: NEW_LEDGER };
  const record = parseRecord(stored.bytes, 'sim');
  return { version: stored.version, record, stored: record, ledger: stored.ledger };
}

function imageOf(n: number): string {
  return `quay.io/o/r:${String(n).padStart(7, '0')}`;
}

function iso(micros: number): string {
  return secondText(micros as Instant);
}

/** A random track: waves by names, window, freezes, limits. */
function shapeOf(random: Dice) {
  const names = Array.from({ length: random.int(3, 10) }, (_, at) => `s${at}`);
  const cuts = random.int(0, Math.min(3, names.length - 1));
  const waves = Array.from({ length: cuts + 1 }, (_, at) => ({
    name: `w${at}`,
    soakMinutes: random.int(0, 25),
    maxParallel: random.int(1, 4),
    ...(at === cuts ? {} : { shards: [names[at] as string, ...(random.chance(0.3) ? ['n20', 'n40'] : [])] }),
  }));
  const hours = random.chance(0.3) ? ([random.int(5, 7), random.int(9, 20)] as const) : undefined;
  const from = START_MS * 1_000 + random.int(0, 200) * MICROS.minute;
  return {
    ...{ names, waves, hours },
    freezes: random.chance(0.2) ? [[from, from + random.int(10, 100) * MICROS.minute] as const] : [],
    track: {
      name: 't',
      match: { environments: ['prod'] },
      health: { maxRestarts: 1, progressDeadline: `${random.int(3, 10)}m`, queries: random.chance(0.4) ? ['q'] : [] },
      onFailure: random.pick(['halt', 'rollback'] as const),
      supersede: random.pick(['restart', 'queue'] as const),
      ...(random.chance(0.5) ? { shadow: { maxDifferences: random.int(0, 1) } } : {}),
    },
  };
}
