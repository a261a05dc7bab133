import { setTimeout as sleepFor } from 'node:timers/promises';
import type { KubeConnection } from './connection.ts';
import { KubeError } from './kube-error.ts';
import { type Failed, type KubeAnswer, type KubeCall, type KubeRequest, type Outcome, senderOf } from './round-trip.ts';

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
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;
const LONGEST_RETRY_AFTER_MS = 30_000;

/**
 * Requests to one API server: keep-alive connections, time and size limits, bounded concurrency. Tried again, with jitter
 * and honouring Retry-After, are refusals that did nothing (429, no connection) and whatever may be asked twice.
 */
export function kubeTransport(connection: KubeConnection, options: TransportOptions = {}): KubeTransport {
  const { concurrency = DEFAULT_CONCURRENCY, random = Math.random } = options;
  const wait = options.sleep ?? ((milliseconds, signal) => sleepFor(milliseconds, undefined, { signal }));
  const slots = slotsOf(concurrency);
  const sender = senderOf(connection, { ...options, concurrency });

  const once = async (request: KubeRequest): Promise<Outcome> => {
    const outcome = await sender.send(request, false);
    const refused = 'error' in outcome && outcome.error.code === 'KUBE_UNAUTHORIZED';
    return refused ? sender.send(request, true) : outcome;
  };
  const tryAgain = async (request: KubeRequest): Promise<KubeAnswer> => {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await once(request);
      if ('answer' in outcome) return outcome.answer;
      if (attempt >= MAX_TRIES || !mayTryAgain(request, outcome)) throw outcome.error;
      await wait(pauseAfter(attempt, outcome, random()), request.signal);
    }
  };

  return {
    name: connection.name,
    request: async (request) => {
      if (options.readOnly === true && request.method !== 'GET') throw readOnly(connection, request);
      return slots(() => tryAgain(request));
    },
    close: sender.close,
  };
}

/** Doubling, with jitter, never shorter than what the server asks for. */
function pauseAfter(attempt: number, { retryAfterMs = 0 }: Failed, chance: number): number {
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1)) * (0.5 + chance / 2);
  return Math.max(pause, Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS));
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

/** Runs so many at once, the others in order. */
function slotsOf(limit: number): <T>(act: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (act) => {
    if (running >= limit) await new Promise<void>((go) => waiting.push(go));
    else running += 1;
    try {
      return await act();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
