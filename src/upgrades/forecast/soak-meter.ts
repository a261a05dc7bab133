/**
 * Soak of one version under one workload on a virtual clock. Between two changes of the clusters that earn it, it grows by the
 * same in every pass, so a pass without a change costs nothing. It also knows what it was in the pass before its last change.
 */
export class SoakMeter {
  /** Credited to a cluster in each pass, in microseconds. */
  readonly #perPass: number;
  /** The pass of the last change. */
  #since: number;
  #micros: number;
  #earning = 0;
  #present = 0;
  #before = { micros: 0, earning: 0, present: 0 };

  constructor(micros: number, since: number, perPass: number) {
    this.#micros = micros;
    this.#since = since;
    this.#perPass = perPass;
    this.#before.micros = micros;
  }

  /** At a pass: any from the one before its last change on. */
  microsAt(pass: number): number {
    if (pass < this.#since) return this.#before.micros;
    return this.#micros + this.#earning * this.#perPass * (pass - this.#since);
  }

  /** How many earn it from a pass on. */
  earningAt(pass: number): number {
    return pass < this.#since ? this.#before.earning : this.#earning;
  }

  /** How many healthy clusters run the version with the workload. */
  presentAt(pass: number): number {
    return pass < this.#since ? this.#before.present : this.#present;
  }

  /** Clusters that the history knows already, before the first pass that counts. */
  start(earning: number, present: number): void {
    this.#earning += earning;
    this.#present += present;
  }

  /** Clusters that a pass sees for the first time; it credits those that its history knows already. */
  join(
    pass: number,
    { earning, present, credited }: Readonly<Record<'earning' | 'present' | 'credited', number>>,
  ): void {
    this.#settle(pass);
    this.#earning += earning;
    this.#present += present;
    this.#micros += credited * this.#perPass;
  }

  /** Clusters that a pass does not see any more; it does not credit them. */
  leave(pass: number, { earning, present }: Readonly<Record<'earning' | 'present', number>>): void {
    this.#settle(pass);
    this.#earning -= earning;
    this.#present -= present;
    this.#micros -= earning * this.#perPass;
  }

  #settle(pass: number): void {
    if (pass === this.#since) return;
    this.#before = { micros: this.microsAt(pass - 1), earning: this.#earning, present: this.#present };
    this.#micros = this.microsAt(pass);
    this.#since = pass;
  }
}
