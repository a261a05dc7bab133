import { setImmediate } from 'node:timers/promises';

/**
 * Calls `fn` for every item with at most `limit` calls in flight; results keep the order of the items, read lazily.
 *
 * The first failure, or an abort, stops it: no further item is started, the signal passed to the running calls is aborted,
 * and the returned promise rejects only after they have settled, so nothing keeps running in the background.
 */
export async function mapLimited<T, R>(
  items: Iterable<T>,
  limit: number,
  fn: (item: T, index: number, signal: AbortSignal) => Promise<R> | R,
  signal?: AbortSignal,
): Promise<R[]> {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new RangeError(`the concurrency limit must be a positive integer, not ${limit}`);
  const stop = new AbortController();
  const stopNow = (): void => stop.abort(signal?.reason);
  if (signal?.aborted) stopNow();
  else signal?.addEventListener('abort', stopNow, { once: true });

  const results: R[] = [];
  const pending = items[Symbol.iterator]();
  let started = 0;
  const work = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const next = pending.next();
      if (next.done) return;
      const index = started;
      started += 1;
      results[index] = await fn(next.value, index, stop.signal);
    }
  };
  const worker = (): Promise<void> => work().catch((thrown: unknown) => stop.abort(thrown));

  try {
    await Promise.all(Array.from({ length: Math.min(limit, sizeOf(items)) }, worker));
    if (stop.signal.aborted) throw stop.signal.reason;
    return results;
  } finally {
    signal?.removeEventListener('abort', stopNow);
    if (stop.signal.aborted) pending.return?.();
  }
}

/** The number of items where it is known, so that no idle worker is started. */
function sizeOf(items: Iterable<unknown>): number {
  if (Array.isArray(items)) return items.length;
  return items instanceof Set || items instanceof Map ? items.size : Number.POSITIVE_INFINITY;
}

/** Work that can be paused at every `yield`, with its result at the end. */
export type Steps<Result> = Generator<undefined, Result>;

/** Yields to the event loop after 20 ms. */
const YIELD_AFTER_MS = 20;

/** Runs all steps, and lets timers and requests run in between. Pauses never change the result. */
export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  let started = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - started < YIELD_AFTER_MS) continue;
    await setImmediate();
    started = performance.now();
  }
}

/** Runs all steps without a pause. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
