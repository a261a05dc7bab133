import { EchelonError, type StateStore } from '../../src/base/index.ts';
import { type OcmCalls, type World, type WorldCall, worldApi } from '../../src/sim/index.ts';
import type { UpgradeApi } from '../../src/upgrades/index.ts';
import type { CallClass, Fault } from './upgrade-simulation-scenario.ts';
import type { Turns } from './upgrade-simulation-turns.ts';

/** What is heard on a line. */
export interface Listener {
  /** The scheduler makes a call. */
  called(call: WorldCall): void;
  /** A call for an upgrade is about to get through, or to go wrong. */
  asks(call: WorldCall): void;
  /** The scheduler hears this. */
  told(call: WorldCall, answer: unknown): void;
  /** The world does it now. */
  done(call: WorldCall, answer: unknown): void;
  /** It will do so later; to be called then. */
  delayed(call: WorldCall): () => void;
  stored(key: string, value: Uint8Array): void;
  faulted(fault: Fault, call: string): void;
}

export interface LineParts {
  readonly world: World;
  readonly store: StateStore;
  /** Lets so many minutes pass. */
  readonly pass: (minutes: number) => void;
  /** Has something done so many minutes later. */
  readonly later: (minutes: number, act: () => void) => void;
}

const WRITES: ReadonlySet<string> = new Set(['createPolicy', 'deletePolicy', 'switchChannel', 'createServiceLog']);

interface Call {
  readonly name: string;
  readonly classes: readonly CallClass[];
  readonly act: () => unknown;
  /** The answer of that many minutes ago. */
  readonly stale?: (minutes: number) => unknown;
  /** The response when the outcome is unknown; it throws when absent. */
  readonly unknown?: () => unknown;
  readonly asks?: () => void;
  readonly delayed?: () => () => void;
}

/** What stands between one scheduler and the world in one pass: everything that can go wrong, goes wrong here. */
export class Line {
  readonly api: UpgradeApi;
  readonly store: StateStore;
  /** Settles when the process dies. What it was waiting for never comes. */
  readonly crashed: Promise<'crashed'>;
  readonly #parts: LineParts;
  readonly #listener: Listener;
  readonly #faults: readonly Fault[];
  readonly #turns: Turns | undefined;
  readonly #counts = new Map<CallClass, number>();
  #crash: () => void = () => {};
  #isDead = false;

  constructor(parts: LineParts, listener: Listener, faults: readonly Fault[], turns: Turns | undefined) {
    this.#parts = parts;
    this.#listener = listener;
    this.#faults = faults;
    this.#turns = turns;
    this.crashed = new Promise((resolve) => {
      this.#crash = () => resolve('crashed');
    });
    this.api = worldApi(parts.world, (call, act) => this.#through(this.#apiCall(call, act)));
    this.store = this.#storeOf(parts.store);
  }

  #apiCall(call: WorldCall, act: () => unknown): Call {
    const { name } = call;
    const isWrite = WRITES.has(name);
    this.#listener.called(call);
    const done = (): unknown => {
      const answer = act();
      if (isWrite) this.#listener.done(call, answer);
      return answer;
    };
    const told = (answer: unknown): unknown => {
      this.#listener.told(call, answer);
      return answer;
    };
    if (!isWrite)
      return {
        name,
        classes: ['any', 'read'],
        act: () => told(act()),
        stale: (by) => this.#stale(call, by).then(told),
      };
    return {
      name,
      classes: name === 'createPolicy' ? ['any', 'write', 'create'] : ['any', 'write'],
      act: done,
      ...(name === 'createServiceLog' ? { unknown: () => undefined } : {}),
      ...(name === 'createPolicy' ? this.#creation(call) : {}),
    };
  }

  #creation(call: WorldCall): Pick<Call, 'unknown' | 'asks' | 'delayed'> {
    return {
      asks: () => this.#listener.asks(call),
      unknown: () => ({ outcome: 'unconfirmed', reason: 'no answer in time' }),
      delayed: () => this.#listener.delayed(call),
    };
  }

  async #stale({ name, args }: WorldCall, minutes: number): Promise<unknown> {
    const { world } = this.#parts;
    const past = world.asOf(new Date(world.now().getTime() - minutes * 60_000));
    const read = worldApi(past as unknown as OcmCalls)[name] as (...given: readonly unknown[]) => Promise<unknown>;
    return read(...args);
  }

  #storeOf(store: StateStore): StateStore {
    return {
      name: store.name,
      read: async (key) =>
        (await this.#through({ name: 'read', classes: ['any', 'store-read'], act: () => store.read(key) })) as Awaited<
          ReturnType<StateStore['read']>
        >,
      write: async (key, value, expected) => {
        const act = async (): Promise<unknown> => {
          const written = await store.write(key, value, expected);
          if (written !== 'lost-race') this.#listener.stored(key, value);
          return written;
        };
        const written = await this.#through({ name: 'write', classes: ['any', 'store-write'], act });
        return written as Awaited<ReturnType<StateStore['write']>>;
      },
    };
  }

  #through(call: Call): unknown {
    return this.#turns === undefined ? this.#deal(call) : this.#turns.mine().then(() => this.#deal(call));
  }

  #deal(call: Call): unknown {
    if (this.#isDead) return never();
    for (const name of call.classes) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    call.asks?.();
    const fault = this.#faults.find((each) => this.#isHit(each, call));
    if (fault === undefined) return call.act();
    this.#listener.faulted(fault, call.name);
    return this.#goWrong(fault, call);
  }

  #isHit({ on, nth, lasting }: Fault, { classes }: Call): boolean {
    const count = this.#counts.get(on) ?? 0;
    return classes.includes(on) && (lasting ? count >= nth : count === nth);
  }

  #goWrong({ kind, minutes }: Fault, call: Call): unknown {
    switch (kind) {
      case 'slow':
        this.#parts.pass(minutes);
        return call.act();
      case 'stale':
        return call.stale === undefined ? call.act() : call.stale(minutes);
      case 'lose-answer':
        return after(call.act(), () => unknownOutcome(call));
      case 'never-arrive':
        return unknownOutcome(call);
      case 'arrive-late':
        return this.#late(call, minutes);
      case 'crash-before':
        return this.#die();
      case 'crash-after':
        return after(call.act(), () => this.#die());
      case 'refuse':
        throw unavailable(call.name);
    }
  }

  #late(call: Call, minutes: number): unknown {
    const arrives = call.delayed?.();
    if (arrives === undefined) return call.act();
    this.#parts.later(minutes, () => {
      arrives();
      call.act();
    });
    return unknownOutcome(call);
  }

  #die(): Promise<never> {
    this.#isDead = true;
    this.#crash();
    return never();
  }
}

function after(work: unknown, then: () => unknown): unknown {
  return work instanceof Promise ? work.then(then) : then();
}

function never(): Promise<never> {
  return new Promise(() => {});
}

function unknownOutcome({ name, unknown }: Call): unknown {
  if (unknown !== undefined) return unknown();
  throw unavailable(name);
}

function unavailable(call: string): EchelonError {
  return new EchelonError({ code: 'OCM_UNAVAILABLE', message: `${call}: no answer`, hint: 'try again' });
}
