/**
 * Calls `fn` for every item, at most `limit` at a time; results are in the order of the items, which are taken lazily.
 *
 * The first that fails, or an abort, stops it: no further item is started, the signal that the others got is aborted,
 * and the rejection comes only after they have ended, so that nothing runs on behind the caller's back.
 */
export async function mapLimited<T, R>(
  items: Iterable<T>,
  limit: number,
  fn: (item: T, index: number, signal: AbortSignal) => Promise<R> | R,
  signal?: AbortSignal,
): Promise<R[]> {
  if (!Number.isSafeInteger(limit) || limit < 1) throw new RangeError(`a limit of ${limit} at a time`);
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

/** A known size spares workers that would find nothing to do. */
function sizeOf(items: Iterable<unknown>): number {
  if (Array.isArray(items)) return items.length;
  return items instanceof Set || items instanceof Map ? items.size : Number.POSITIVE_INFINITY;
}
