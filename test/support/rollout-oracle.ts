import type { Move, Return, RolloutsDecision, ScopeFacts, ShadowRecord, ShardFacts } from '../../src/rollouts/index.ts';
import {
  isUp,
  type OracleLedger,
  type OracleOverrule,
  type OracleRules,
  type PassTime,
  seen,
  soakOf,
  wavesByHand,
} from './rollout-oracle-ledger.ts';

const DAY = 86_400_000_000;

/** Checks one decision against the promises R1 to R5, from what passes saw and nothing else. Returns the ledger after it. */
export function checkDecision(
  before: OracleLedger,
  decision: RolloutsDecision,
  facts: ScopeFacts,
  rules: OracleRules,
  time: PassTime,
): { readonly ledger: OracleLedger; readonly violations: string[] } {
  const target = decision.tracks[0]?.target ?? facts.target;
  const ledger = seen(before, facts, rules, { ...time, target });
  if (!rules.hasTrack) return { ledger: withoutTrack(ledger, decision), violations: [] };
  const check = new DecisionCheck(ledger, facts, rules, time);
  check.failures(decision);
  check.credit(decision);
  for (const { moves, returns, holds } of decision.tracks) {
    for (const move of moves) check.move(move);
    for (const back of returns) check.return(back);
    for (const hold of holds) check.hold(hold);
    check.nothingElse([...moves, ...returns, ...holds]);
    check.took([...moves, ...returns]);
  }
  check.completion(decision);
  return { ledger, violations: check.violations };
}

/** Of shards that left the track while they were held the good image is still known; of others nothing. */
function withoutTrack(ledger: OracleLedger, { record }: RolloutsDecision): OracleLedger {
  const kept = [...([...record.scopes.values()][0]?.shards.keys() ?? [])];
  const shards = kept.map((id) => [id, { micros: 0, healthy: false, good: ledger.shards[id]?.good }]);
  const shadows = Object.entries(ledger.shadows).filter(([id]) => kept.includes(id));
  return { ...ledger, shards: Object.fromEntries(shards), shadows: Object.fromEntries(shadows) };
}

class DecisionCheck {
  readonly violations: string[] = [];
  readonly #ledger: OracleLedger;
  readonly #facts: ScopeFacts;
  readonly #rules: OracleRules;
  readonly #time: PassTime;
  readonly #byId: ReadonlyMap<string, ShardFacts>;
  readonly #waveOf: ReadonlyMap<string, number>;

  constructor(ledger: OracleLedger, facts: ScopeFacts, rules: OracleRules, time: PassTime) {
    this.#ledger = ledger;
    this.#facts = facts;
    this.#rules = rules;
    this.#time = time;
    this.#byId = new Map(facts.shards.map((shard) => [shard.id, shard]));
    this.#waveOf = wavesByHand(facts.shards, rules);
  }

  #say(promise: string, what: string): void {
    this.violations.push(`${promise}: ${what}`);
  }

  #active(action: OracleOverrule['action'], image: string): OracleOverrule[] {
    const { now } = this.#time;
    return this.#rules.overrules.filter(
      (one) => one.action === action && one.image === image && one.at <= now && now < (one.until ?? Infinity),
    );
  }

  #isResumed(image: string, since: number): boolean {
    return this.#active('resume', image).some(({ at }) => at > since);
  }

  /** A failure that the oracle did not expect by itself needs evidence: a shard that took the image and is not well. */
  failures({ record }: RolloutsDecision): void {
    for (const { shard, image, at } of [...record.scopes.values()][0]?.failures ?? []) {
      if (at !== this.#time.now || this.#ledger.failed.some((f) => f.shard === shard && f.image === image)) continue;
      const facts = this.#byId.get(shard);
      const isSick =
        facts?.live?.image === image &&
        (!isUp(facts) || facts.live.jobs?.some(({ state }) => state === 'failed') === true);
      if (facts?.live?.stopped !== undefined) this.#say('D2', `${image} failed on ${shard}, which was stopped before`);
      if (!isSick) this.#say('D5', `${image} failed on ${shard}, which is well`);
      this.#ledger.failed.push({ shard, image, at });
    }
  }

  credit({ record }: RolloutsDecision): void {
    for (const [id, { soak }] of [...record.scopes.values()][0]?.shards ?? []) {
      if (soak === undefined || this.#byId.get(id)?.workload === 'CronJob') continue;
      const { micros } = this.#ledger.shards[id] ?? { micros: 0 };
      if (soak.micros > micros) this.#say('R2', `${id} is credited ${soak.micros}, seen healthy for ${micros}`);
    }
  }

  move({ id, image, isBack }: Move): void {
    const shard = this.#byId.get(id);
    if (shard === undefined || shard.pinned !== undefined || shard.disabled) this.#say('R5', `${id} must not move`);
    const { good } = this.#ledger.shards[id] ?? {};
    const isWayBack = image === good || image === this.#ledger.stable;
    if (isBack && !isWayBack) this.#say('R1', `${id} goes back to ${image}, not to ${good} or ${this.#ledger.stable}`);
    this.#mayBeTaken(id, image);
    if (!isWayBack) this.#forward(id, image);
  }

  #mayBeTaken(id: string, image: string): void {
    for (const { shard, at } of this.#ledger.failed.filter((failure) => failure.image === image))
      if (!this.#isResumed(image, at)) this.#say('R3', `${image} failed on ${shard} and moves to ${id}`);
    for (const { at } of this.#active('reject', image))
      if (!this.#isResumed(image, at)) this.#say('R3', `${image} is rejected and moves to ${id}`);
  }

  #forward(id: string, image: string): void {
    const { now } = this.#time;
    const { hours, frozen } = this.#rules;
    if (this.#active('pause', image).length > 0) this.#say('F5', `${id} moves in a pause`);
    this.#compared(id, image);
    if (this.#active('expedite', image).length > 0) return;
    const hour = new Date(now / 1_000).getUTCHours();
    if (hours !== undefined && (hour < hours[0] || hour > hours[1])) this.#say('R4', `${id} moves at ${hour}`);
    if (frozen.some(([from, until]) => from <= now && now < until)) this.#say('R4', `${id} moves in a freeze`);
    for (let wave = 0; wave < (this.#waveOf.get(id) ?? 0); wave += 1) this.#wavePassed(id, image, wave);
  }

  /** Its own comparison passed, and that of no other shard halts the track. */
  #compared(id: string, image: string): void {
    const { shadow: most } = this.#rules;
    const live = this.#byId.get(id)?.live?.image;
    if (most === undefined) return;
    const accepted = this.#active('accept-shadow', image).map(({ digest }) => digest);
    const passes = ({ result, differences, digest }: ShadowRecord): boolean =>
      result !== 'inconclusive' && (differences <= most || accepted.includes(digest));
    for (const [other, shadow] of Object.entries(this.#ledger.shadows))
      if (shadow.result === 'different' && !passes(shadow))
        this.#say('R8', `${id} moves, the shadow of ${other} differs`);
    const own = this.#ledger.shadows[id];
    const age = this.#time.now - (own?.at ?? 0);
    const isFresh = own !== undefined && own.baseline === live && age >= 0 && age <= DAY;
    if (live !== undefined && !(isFresh && passes(own)))
      this.#say('R8', `${id} moves to ${image} without a shadow that passed: ${JSON.stringify(own)}`);
  }

  #wavePassed(id: string, image: string, wave: number): void {
    const counting = this.#facts.shards.filter((one) => this.#waveOf.get(one.id) === wave && counts(one));
    if (counting.length === 0) this.#say('R1', `${id} moves after wave ${wave}, in which nothing counts`);
    for (const other of counting) {
      const own = this.#ledger.shards[other.id];
      const soaked =
        other.workload === 'CronJob' ? own?.jobbed === image : (own?.micros ?? 0) >= soakOf(wave, this.#rules);
      if (!other.seen || other.live?.image !== image || !soaked)
        this.#say(
          'R1',
          `${id} moves to ${image}; ${other.id} of wave ${wave} runs ${other.live?.image} for ${own?.micros}`,
        );
    }
  }

  return({ id, image, from }: Return): void {
    const shard = this.#byId.get(id);
    const { good } = this.#ledger.shards[id] ?? {};
    if (shard?.live?.image !== from) this.#say('R3', `${id} returns from ${from}, but runs ${shard?.live?.image}`);
    const { took } = this.#ledger.shards[id] ?? {};
    const taken = took?.isReturn === true ? took.from : took?.image;
    if (taken !== from) this.#say('R3', `${id} returns from ${from}, but the image that it was given is ${taken}`);
    if (image !== good) this.#say('R3', `${id} returns to ${image}, not to its good ${good}`);
    if (shard?.pinned !== undefined) this.#say('R5', `${id} is pinned and returns`);
    if (!this.#ledger.failed.some((failure) => failure.image === from))
      this.#say('R3', `${from} did not fail, ${id} returns`);
    this.#mayBeTaken(id, image);
  }

  hold({ id, image }: { readonly id: string; readonly image?: string }): void {
    const shard = this.#byId.get(id);
    if (shard?.pinned !== undefined) this.#say('R5', `${id} is pinned and held`);
    if (shard?.live?.image !== image) this.#say('R5', `${id} is held on ${image}, but runs ${shard?.live?.image}`);
  }

  nothingElse(acted: readonly { readonly id: string }[]): void {
    const ids = new Set(acted.map(({ id }) => id));
    for (const { id, seen: isSeen, pinned, live } of this.#facts.shards)
      if (isSeen && pinned === undefined && live?.image !== this.#facts.target && !ids.has(id))
        this.#say('R5', `${id} is neither held nor moved`);
  }

  took(writes: readonly (Move | Return)[]): void {
    for (const write of writes) {
      const known = this.#ledger.shards[write.id];
      const shard = this.#byId.get(write.id);
      if (known === undefined) continue;
      const { took } = known;
      const ran = shard?.live?.stopped === undefined;
      if (took !== undefined && took.image === write.image && !took.seen) {
        Object.assign(took, { missed: false, ran });
        continue;
      }
      const wasUp = shard?.live === undefined || isUp(shard);
      known.took = {
        image: write.image,
        wasUp,
        seen: false,
        restarts: 0,
        last: 0,
        at: this.#time.now,
        isReturn: 'from' in write,
        from: 'from' in write ? write.from : undefined,
        missed: false,
        instead: took?.seen === false ? took.image : undefined,
        ran,
      };
    }
  }

  completion({ tracks: [track] }: RolloutsDecision): void {
    if (track?.state !== 'complete') return;
    const counting = this.#facts.shards.filter((one) => counts(one) && this.#waveOf.has(one.id));
    const unsoaked = counting.find(({ id, live, workload }) => {
      const { micros } = this.#ledger.shards[id] ?? { micros: 0 };
      return (
        live?.image !== track.target ||
        (workload !== 'CronJob' && micros < soakOf(this.#waveOf.get(id) ?? 0, this.#rules))
      );
    });
    if (this.#ledger.stable !== track.target && unsoaked !== undefined)
      this.#say('D7', `${track.target} is complete, but ${unsoaked.id} has not soaked it`);
    this.#ledger.stable = track.target;
    for (const { id, live } of this.#facts.shards)
      if (live?.image === track.target) delete this.#ledger.shards[id]?.took;
  }
}

function counts({ pinned, disabled }: ShardFacts): boolean {
  return pinned === undefined && !disabled;
}
