import { messageOf } from '../../base/index.ts';
import type { KubeTransport, WatchRequest } from './transport.ts';
import { watchEvent } from './watch-event.ts';

/** Why a watch ended. */
export type WatchEnd =
  /** Something changed; or only the status of an object. */
  | { readonly why: 'change' | 'status' }
  /** The server does not watch this for this account. */
  | { readonly why: 'refused'; readonly message: string }
  /** Cut, expired, silent or unreadable: nothing is known from there on. */
  | { readonly why: 'lost' | 'closed' };

/** Follows a list from its version on; any change ends it. */
export interface ListWatch {
  /** Whether the server watches and has reported no change. */
  holds(): Promise<boolean>;
  close(): void;
}

export interface WatchTimes {
  /** How long a server keeps a watch open; it is then opened again from the same version on. */
  readonly seconds: number;
  /** How much longer a watch without an end is believed. */
  readonly graceMs: number;
}

/**
 * Longer than the usual resync, which opens all watches again. There are no bookmarks in between: where little changes, these would
 * be most of what is read.
 */
export const WATCH_TIMES: WatchTimes = { seconds: 900, graceMs: 30_000 };
/** An event is not larger than an object, of which etcd takes 1.5 MiB. */
const LONGEST_LINE = 4 * 1024 * 1024;
const MANY = 429;

type Opened = Pick<WatchRequest, 'path' | 'query'> & { readonly version: string };

export function watchList(
  transport: Pick<KubeTransport, 'watch'>,
  list: Opened,
  times: WatchTimes,
  onEnd: (end: WatchEnd) => void,
): ListWatch {
  const closed = new AbortController();
  let opening = Promise.withResolvers<boolean>();
  let over = false;
  const follow = async (): Promise<WatchEnd> => {
    for (; ; opening = Promise.withResolvers()) {
      const began = performance.now();
      const end = await watchOnce(transport, list, times, closed.signal, () => opening.resolve(true));
      if (end !== 'over') return end;
      // One that ends much too early would be opened again and again.
      if (performance.now() - began < times.seconds * 500) return { why: 'lost' };
    }
  };
  const ended = (end: WatchEnd): void => {
    over = true;
    opening.resolve(false);
    onEnd(closed.signal.aborted ? { why: 'closed' } : end);
  };
  follow().then(ended, () => ended({ why: 'lost' }));
  return {
    holds: async () => (await opening.promise) && !over,
    close: () => {
      if (!over) closed.abort(new Error('the watch was closed'));
    },
  };
}

async function watchOnce(
  transport: Pick<KubeTransport, 'watch'>,
  { path, query, version }: Opened,
  { seconds, graceMs }: WatchTimes,
  closed: AbortSignal,
  onOpen: () => void,
): Promise<WatchEnd | 'over'> {
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(new Error('the watch has no end')), seconds * 1_000 + graceMs);
  timer.unref();
  const signal = AbortSignal.any([closed, silent.signal]);
  const asked = { watch: '1', resourceVersion: version, timeoutSeconds: String(seconds) };
  try {
    const answer = await transport.watch({ path, query: { ...query, ...asked }, signal });
    if ('refusal' in answer) return isRefusal(answer.status) ? refused(answer.refusal) : { why: 'lost' };
    onOpen();
    return await read(answer.parts);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether asking again makes no difference until somebody changes something. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== MANY && status !== 410 && status !== 401;
}

function refused(thrown: unknown): WatchEnd {
  return { why: 'refused', message: messageOf(thrown) };
}

async function read(parts: AsyncIterable<Uint8Array>): Promise<WatchEnd | 'over'> {
  for await (const line of linesOf(parts)) {
    const event = watchEvent(line);
    return { why: event === 'fault' ? 'lost' : event };
  }
  return 'over';
}

/** A line that is too long, or has no end, is cut, and so no event. */
async function* linesOf(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of parts) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (rest.length > LONGEST_LINE) break;
  }
  if (rest !== '') yield rest;
}
