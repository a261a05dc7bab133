import { vi } from 'vitest';

/**
 * Lets the time limit of some work pass as soon as something has happened, however long that takes on this machine. Only for
 * limits that are a `setTimeout`.
 */
export async function limitReached<T>(
  work: () => Promise<T>,
  { once, ms }: { readonly once: () => boolean; readonly ms: number },
): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const running = work();
    running.catch(() => undefined);
    while (!once()) await new Promise(setImmediate);
    vi.advanceTimersByTime(ms);
    return await running;
  } finally {
    vi.useRealTimers();
  }
}
