import type { Instant } from '../../gates/index.ts';
import type { Shown } from '../views/plan.ts';
import type { Awaited, Waiting, WaitingEntries } from './waiting-entries.ts';

/** The reason that would be given in a pass. */
export interface ReasonAt {
  at(pass: number): string;
}

/**
 * What a cluster waited for, one entry after the other. The reason of an entry is that of its last pass; where it changes
 * with time, it is asked for only when the entry ends.
 */
export class WaitingLog {
  readonly #all: WaitingEntries;
  readonly #entries: Waiting[] = [];
  /** Undefined before the first. */
  #since: Instant | undefined;
  #action: Shown['action'] = 'none';
  #gate: Shown['gate'];
  #to: Shown['to'];
  #reason: string | ReasonAt = '';

  constructor(all: WaitingEntries) {
    this.#all = all;
  }

  /** What a pass decided. */
  note(
    { action, gate, to }: Pick<Shown, 'action' | 'gate' | 'to'>,
    { pass, now }: { readonly pass: number; readonly now: Instant },
    reason: string | ReasonAt,
  ): void {
    if (this.#since === undefined || this.#action !== action || this.#gate !== gate || this.#to !== to) {
      this.#close(pass - 1);
      this.#since = now;
      this.#action = action;
      this.#gate = gate;
      this.#to = to;
    }
    this.#reason = reason;
  }

  /** The same gate is closed for another reason. */
  sameGate(gate: string, reason: string): void {
    if (this.#since !== undefined && this.#gate === gate) this.#reason = reason;
  }

  /** All entries, if this pass is the last. */
  until(pass: number): readonly Waiting[] {
    this.#close(pass);
    return this.#entries;
  }

  #close(last: number): void {
    if (this.#since === undefined) return;
    const [action, gate, to] = [this.#action, this.#gate, this.#to];
    const reason = typeof this.#reason === 'string' ? this.#reason : this.#reason.at(last);
    this.#entries.push(this.#all.entryOf(this.#since, { action, gate, to, reason } as Awaited));
    this.#since = undefined;
  }
}
