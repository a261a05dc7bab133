import type { Clock } from './clock.ts';

/** The result of work as a value; waiting for it never throws. */
export type Outcome<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'thrown'; readonly thrown: unknown };

/** The same for work with a time limit; a result after the limit is ignored. */
export type BoundedOutcome<T> = Outcome<T> | { readonly kind: 'timeout' } | { readonly kind: 'aborted' };

export async function outcomeOf<T>(work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { kind: 'value', value: await work() };
  } catch (thrown) {
    return { kind: 'thrown', thrown };
  }
}

/** Waits for work until the timeout or until the signal is aborted; either aborts the work's own signal. */
export async function outcomeWithin<T>(
  { clock, ms, signal }: { readonly clock: Clock; readonly ms: number; readonly signal?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<BoundedOutcome<T>> {
  if (signal?.aborted) return { kind: 'aborted' };
  const { controller, unlink } = linked(signal);
  const limit = clock.sleep(ms, controller.signal).then(
    () => ({ kind: 'timeout' }) as const,
    () => ({ kind: 'aborted' }) as const,
  );
  const outcome = await Promise.race([outcomeOf(() => work(controller.signal)), limit]);
  unlink();
  controller.abort(new Error(`no response within ${ms / 1000} s`));
  return outcome;
}

/** A controller that is aborted together with the first of these signals, until it is unlinked. */
export function linked(...signals: readonly (AbortSignal | undefined)[]): {
  readonly controller: AbortController;
  readonly unlink: () => void;
} {
  const controller = new AbortController();
  const links = signals
    .filter((signal) => signal !== undefined)
    .map((signal) => ({ signal, follow: () => controller.abort(signal.reason) }));
  for (const { signal, follow } of links) {
    if (signal.aborted) follow();
    else signal.addEventListener('abort', follow, { once: true });
  }
  return {
    controller,
    unlink: () => {
      for (const { signal, follow } of links) signal.removeEventListener('abort', follow);
    },
  };
}
