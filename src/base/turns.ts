import { setImmediate } from 'node:timers/promises';

/** Work that may pause between steps; it returns its result at the end. */
export type Steps<Result> = Generator<undefined, Result>;

/** The longest that steps run before others get a turn, plus one step. */
const TURN_MS = 20;

/** Runs all steps, and lets timers and requests in between. When it pauses never changes the result. */
export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  let started = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - started < TURN_MS) continue;
    await setImmediate();
    started = performance.now();
  }
}

/** Runs all steps at once. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
