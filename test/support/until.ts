import { setTimeout as pause } from 'node:timers/promises';

export interface UntilOptions {
  /** Only ends what hangs. */
  readonly timeoutSeconds?: number;
  /** What is waited for, as the error says it: `a pod is ready`. */
  readonly what: string;
  /** Between two looks. */
  readonly everyMs?: number;
}

const EVERY_MS = 50;
const PATIENCE_SECONDS = 300;

/**
 * Looks until the condition gives something truthy, and returns that. A condition that throws is not met yet.
 * Throws when the time is over, with what was waited for and the last error.
 */
export async function until<Value>(
  condition: () => Value | Promise<Value>,
  { timeoutSeconds = PATIENCE_SECONDS, what, everyMs = EVERY_MS }: UntilOptions,
): Promise<NonNullable<Value>> {
  const deadline = performance.now() + timeoutSeconds * 1000;
  for (;;) {
    const { value, error } = await look(condition);
    if (value) return value;
    if (performance.now() >= deadline) {
      const detail = error === undefined ? '' : `: ${error instanceof Error ? error.message : String(error)}`;
      throw new Error(`waited ${timeoutSeconds} s in vain until ${what}${detail}`, { cause: error });
    }
    await pause(everyMs);
  }
}

async function look<Value>(condition: () => Value | Promise<Value>): Promise<{ value?: Value; error?: unknown }> {
  try {
    return { value: await condition() };
  } catch (error) {
    return { error };
  }
}
