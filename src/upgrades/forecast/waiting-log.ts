import type { Instant } from '../../gates/index.ts';
import type { Shown } from '../scheduler/fleet-plan.ts';
import type { Awaited, Waiting, WaitingEntries } from './waiting-entries.ts';

/** The reason that would be given in a pass. */
export type ReasonAt = (pass: number) => string;

/**
 * What a cluster waited for, one entry after the other. The reason of an entry is that of its last pass; where it changes
 * with time, it is asked for only when the entry ends.
 */
export class WaitingLog {
  readonly #all: WaitingEntries;
  readonly #entries: Waiting[] = [];
  #current: Pick<Waiting, 'since' | 'action' | 'gate' | 'to'> | undefined;
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
    const current = this.#current;
    if (current === undefined || current.action !== action || current.gate !== gate || current.to !== to) {
      this.#close(pass - 1);
      this.#current = { since: now, action, gate, to } as Waiting;
    }
    this.#reason = reason;
  }

  /** The same gate is closed for another reason. */
  sameGate(gate: string, reason: string): void {
    if (this.#current?.gate === gate) this.#reason = reason;
  }

  /** All entries, if this pass is the last. */
  until(pass: number): readonly Waiting[] {
    this.#close(pass);
    return this.#entries;
  }

  #close(last: number): void {
    if (this.#current === undefined) return;
    const { since, action, gate, to } = this.#current;
    const reason = typeof this.#reason === 'string' ? this.#reason : this.#reason(last);
    this.#entries.push(this.#all.entryOf(since, { action, gate, to, reason } as Awaited));
    this.#current = undefined;
  }
}
