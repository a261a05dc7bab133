import type { Dice } from './upgrade-simulation-dice.ts';

/** Lets one call through at a time, in an order that is drawn, whoever makes them. */
export class Turns {
  readonly #draw: Dice;
  readonly #waiting: (() => void)[] = [];

  constructor(draw: Dice) {
    this.#draw = draw;
  }

  /** Ends when it is the turn of the caller. */
  mine(): Promise<void> {
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  /** Gives out turns until all work has ended. */
  async until(work: Promise<unknown>): Promise<void> {
    let ended = false;
    const end = (): void => {
      ended = true;
    };
    work.then(end, end);
    for (;;) {
      await everythingWaits();
      if (ended) return;
      const next = this.#draw.int(0, this.#waiting.length - 1);
      const [go] = this.#waiting.splice(next, 1);
      if (go === undefined) throw new Error('somebody waits for something that is not a turn');
      go();
    }
  }
}

/** Nothing here waits for anything but promises, so that all of it is done before the next macrotask. */
function everythingWaits(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
