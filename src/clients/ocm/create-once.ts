import { messageOf } from '../../base/index.ts';
import { pauseBefore } from '../http/index.ts';
import { OcmError, type OcmRefusal, type Transport } from './transport.ts';

/** What came of making something that must not be made twice. */
export type Creation<T> =
  | { readonly outcome: 'created'; readonly record: T; readonly confirmedBy: 'answer' | 'reading-back' }
  /** Nothing was made, and OCM says why. */
  | { readonly outcome: 'refused'; readonly refusal: OcmRefusal }
  /** It was sent and could not be found; it may still appear. Look again in the next pass. */
  | { readonly outcome: 'unconfirmed'; readonly reason: string };

const READ_BACKS = 3;

/**
 * Sends once. When it may have been acted on although there is no good answer, looks for what it would have made instead
 * of sending it again: a server that lags would make it twice.
 */
export async function createOnce<T>(
  transport: Transport,
  send: () => Promise<T>,
  find: () => Promise<T | undefined>,
): Promise<Creation<T>> {
  try {
    return { outcome: 'created', record: await send(), confirmedBy: 'answer' };
  } catch (thrown) {
    if (!(thrown instanceof OcmError)) throw thrown;
    if (thrown.mayHaveArrived) return readBack(transport, find, thrown);
    const { refusal } = thrown;
    if (refusal !== undefined && isVerdict(refusal.status)) return { outcome: 'refused', refusal };
    throw thrown;
  }
}

/** OCM looked at it and said no; credentials and overload are faults that have nothing to do with what was asked. */
function isVerdict(status: number): boolean {
  return status >= 400 && status < 500 && status !== 401 && status !== 429;
}

async function readBack<T>(
  transport: Transport,
  find: () => Promise<T | undefined>,
  failure: OcmError,
): Promise<Creation<T>> {
  let reason = failure.message;
  for (let attempt = 1; attempt <= READ_BACKS; attempt += 1) {
    await transport.clock.sleep(pauseBefore(attempt, transport.random), transport.signal);
    try {
      const record = await find();
      if (record !== undefined) return { outcome: 'created', record, confirmedBy: 'reading-back' };
    } catch (thrown) {
      if (!(thrown instanceof OcmError)) throw thrown;
      reason = `${failure.message}; and reading it back failed: ${messageOf(thrown)}`;
    }
  }
  return { outcome: 'unconfirmed', reason };
}
