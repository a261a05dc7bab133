import type { Instant } from '../../gates/index.ts';
import type { ClusterPlan, Shown } from '../scheduler/fleet-plan.ts';

/** What a cluster waits for since some time. */
export interface Waiting extends Pick<ClusterPlan, 'action' | 'gate' | 'reason' | 'to'> {
  readonly since: Instant;
}

/** The reason that would be given in a pass. */
export type ReasonAt = (pass: number) => string;

/**
 * What a cluster waited for, one entry after the other. The reason of an entry is that of its last pass; where it changes
 * with time, it is asked for only when the entry ends.
 */
export class WaitingLog {
  readonly #entries: Waiting[] = [];
  #current: Pick<Waiting, 'since' | 'action' | 'gate' | 'to'> | undefined;
  #reason = '';
  #pass = 0;
  #reasonAt: ReasonAt | undefined;

  /** What a pass decided. */
  note({ action, gate, to, reason }: Shown, at: { readonly pass: number; readonly now: Instant }, reasonAt?: ReasonAt) {
    const { pass, now } = at;
    const current = this.#current;
    if (current === undefined || current.action !== action || current.gate !== gate || current.to !== to) {
      this.#close(pass - 1);
      this.#current = { since: now, action, gate, to } as Waiting;
    }
    this.#reason = reason;
    this.#pass = pass;
    this.#reasonAt = reasonAt;
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
    const reason = this.#pass < last && this.#reasonAt !== undefined ? this.#reasonAt(last) : this.#reason;
    this.#entries.push({ since, action, reason, ...(gate && { gate }), ...(to && { to }) });
    this.#current = undefined;
  }
}
