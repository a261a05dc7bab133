import { type Backoff, limiter, pauseBefore, retrying, systemHttpClock } from '../http/index.ts';
import type { KubeConnection } from './connection.ts';
import { KubeError } from './kube-error.ts';
import {
  type Failed,
  type KubeAnswer,
  type KubeCall,
  type KubeRequest,
  LONGEST_RETRY_AFTER_MS,
  type Outcome,
  senderOf,
} from './round-trip.ts';

export interface TransportOptions {
  /** Refuses whatever is not a GET before anything is sent. */
  readonly readOnly?: boolean;
  /** Requests under way at once. */
  readonly concurrency?: number;
  readonly timeoutMs?: number;
  /** How long a connection may take to come about. */
  readonly connectMs?: number;
  readonly onCall?: (call: KubeCall) => void;
  /** Waits between tries; replaced in tests. */
  readonly sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly random?: () => number;
}

export interface KubeTransport {
  readonly name: string;
  request(request: KubeRequest): Promise<KubeAnswer>;
  close(): void;
}

export const DEFAULT_CONCURRENCY = 10;
const MAX_TRIES = 5;
/** Half of each pause is left to chance. */
const BACKOFF: Backoff = {
  firstMs: 200,
  longestMs: 10_000,
  fixed: 0.5,
  longestRetryAfterMs: LONGEST_RETRY_AFTER_MS,
};

/**
 * Requests to one API server: keep-alive connections, time and size limits, bounded concurrency. Tried again, with jitter
 * and honouring Retry-After, are refusals that did nothing (429, no connection) and whatever may be asked twice.
 */
export function kubeTransport(connection: KubeConnection, options: TransportOptions = {}): KubeTransport {
  const { concurrency = DEFAULT_CONCURRENCY, random = Math.random, sleep = systemHttpClock.sleep } = options;
  const enter = limiter(concurrency);
  const sender = senderOf(connection, { ...options, concurrency });

  const once = async (request: KubeRequest): Promise<Outcome> => {
    const outcome = await sender.send(request, false);
    const refused = 'error' in outcome && outcome.error.code === 'KUBE_UNAUTHORIZED';
    return refused ? sender.send(request, true) : outcome;
  };
  const tryAgain = async (request: KubeRequest): Promise<KubeAnswer> => {
    const { outcome } = await retrying(
      () => once(request),
      (tried, attempt) => {
        if ('answer' in tried || attempt >= MAX_TRIES || !mayTryAgain(request, tried)) return undefined;
        return pauseBefore(attempt, random, BACKOFF, tried.retryAfterMs);
      },
      { clock: { sleep }, signal: request.signal },
    );
    if ('answer' in outcome) return outcome.answer;
    throw outcome.error;
  };

  return {
    name: connection.name,
    request: async (request) => {
      if (options.readOnly === true && request.method !== 'GET') throw readOnly(connection, request);
      return enter(() => tryAgain(request));
    },
    close: sender.close,
  };
}

function mayTryAgain({ idempotent }: KubeRequest, { transient, untouched }: Failed): boolean {
  return transient && (idempotent || untouched);
}

function readOnly({ name }: KubeConnection, { method, path }: KubeRequest): KubeError {
  return new KubeError({
    code: 'READ_ONLY',
    message: `${name}: ${method} ${path} was refused: this is a dry run`,
    hint: 'this is a fault of Echelon: a dry run must not try to write; report it',
  });
}
