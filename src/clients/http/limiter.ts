/** Runs a job as soon as there is room; first come, first served. */
type Limiter = <T>(job: () => Promise<T>) => Promise<T>;

/** At most `limit` jobs at a time. A job must not wait for another one of the same limiter. */
export function limiter(limit: number): Limiter {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new RangeError(`the limit must be a positive integer, not ${limit}`);
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (job) => {
    if (running >= limit) await new Promise<void>((go) => waiting.push(go));
    else running += 1;
    try {
      return await job();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
