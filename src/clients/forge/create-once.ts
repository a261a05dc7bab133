import { type HttpClock, pauseBefore, systemHttpClock } from '../http/index.ts';
import { ForgeError } from './forge.ts';

const READ_BACKS = 3;

export interface RetryClock {
  readonly clock?: HttpClock | undefined;
  readonly random?: (() => number) | undefined;
}

/**
 * Sends once. When it may have been acted on although there is no good answer, or was there already, looks for what it
 * would have made instead of sending it again.
 */
export async function createOnce<T>(
  send: () => Promise<T>,
  find: () => Promise<T | undefined>,
  retryClock: RetryClock,
): Promise<{ readonly made: T; readonly confirmedBy: 'answer' | 'reading-back' }> {
  try {
    return { made: await send(), confirmedBy: 'answer' };
  } catch (thrown) {
    if (!(thrown instanceof ForgeError)) throw thrown;
    const made = await readBack(thrown, find, retryClock);
    if (made === undefined) throw thrown;
    return { made, confirmedBy: 'reading-back' };
  }
}

async function readBack<T>(
  failure: ForgeError,
  find: () => Promise<T | undefined>,
  { clock = systemHttpClock, random = Math.random }: RetryClock,
): Promise<T | undefined> {
  if (failure.status === 409 || failure.status === 422) return find();
  if (!failure.mayHaveArrived) return undefined;
  for (let attempt = 1; attempt <= READ_BACKS; attempt += 1) {
    await clock.sleep(pauseBefore(attempt, random));
    const made = await find();
    if (made !== undefined) return made;
  }
  return undefined;
}
