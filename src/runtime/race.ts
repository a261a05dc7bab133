import type { Clock } from './clock.ts';

/** How work ended without throwing at whoever waits for it. */
export type Outcome<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'thrown'; readonly thrown: unknown };

/** The same for work that is not waited for without end; its later end is of no consequence. */
export type BoundedOutcome<T> = Outcome<T> | { readonly kind: 'timeout' } | { readonly kind: 'aborted' };

export async function outcomeOf<T>(work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { kind: 'value', value: await work() };
  } catch (thrown) {
    return { kind: 'thrown', thrown };
  }
}

/** Waits for work until the time is over or the signal is aborted; the work is told by its own signal. */
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
  controller.abort(new Error(`no answer within ${ms / 1000} s`));
  return outcome;
}

/** A controller that is aborted with the first of these signals, until it is unlinked. */
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
