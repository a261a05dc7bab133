import { isJson, messageOf } from '../../base/index.ts';
import type { WritePermit } from '../http/index.ts';
import {
  type ApiObject,
  type ListOptions,
  listObjects,
  listRequest,
  NOTHING_SHARED,
  type SharedObjects,
  type WatchedPass,
} from './list-objects.ts';
import type { KubeTransport, WatchRequest } from './transport.ts';

/** What happens to lists that are kept, for metrics and logs. */
export type ListReport = { readonly cluster: string } & (
  | { readonly what: 'listed' | 'reused' | 'changed' }
  /** The server watches nothing for this account. */
  | { readonly what: 'refused'; readonly message: string }
);

interface KeptListsOptions {
  readonly permit?: (() => WritePermit | undefined) | undefined;
  readonly pageSize?: number | undefined;
  readonly onList?: ((report: ListReport) => void) | undefined;
  readonly times?: WatchTimes | undefined;
}

interface KeptLists {
  list(kind: string, where: ListOptions, how: WatchedPass): Promise<ApiObject[]>;
  /** What this process writes it has to list again, whatever a watch reports and when. */
  wrote(path: string): void;
  close(): void;
}

/** Each takes a connection of its own. */
const MAX_WATCHES = 64;
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

interface Kept {
  readonly path: string;
  readonly permit: WritePermit | undefined;
  /** The last pass that asked for it. */
  pass: number;
  readonly keep: ListOptions['keep'];
  /** What a new list is compared with, also when it must be listed again. */
  all: SharedObjects;
  mustList: boolean;
  /** Absent where it is not watched until all is listed again. */
  watch?: ListWatch;
}

interface Keeping extends KeptListsOptions {
  readonly transport: KubeTransport;
  readonly kept: Map<string, Kept>;
  /** Permits whose end is followed. */
  readonly ending: WeakSet<WritePermit>;
}

interface Asked {
  readonly kind: string;
  readonly where: ListOptions;
  readonly how: WatchedPass;
  readonly key: string;
  readonly permit: WritePermit | undefined;
}

/**
 * The lists of one cluster, each for as long as a watch from its version on reports no change. None outlives the permit that it
 * was made under: who led before does not trust what was seen then. An object that a new list has as the one before is the same.
 */
export function keptLists(transport: KubeTransport, options: KeptListsOptions = {}): KeptLists {
  const keeping: Keeping = { ...options, transport, kept: new Map(), ending: new WeakSet() };
  return {
    list: async (kind, where, how) => {
      const key = JSON.stringify([kind, where.namespace, where.labelSelector, where.notIn, where.name]);
      const asked = { kind, where, how, key, permit: options.permit?.() };
      return (await reused(keeping, asked)) ?? listed(keeping, asked);
    },
    wrote: (path) => {
      const before = keeping.kept.size;
      forget(keeping, (one) => one.watch !== undefined && covers(one, path));
      if (keeping.kept.size < before) options.onList?.({ cluster: transport.name, what: 'changed' });
    },
    close: () => forget(keeping, () => true),
  };
}

/** Whether an object is in a list, of its namespace or of all. */
function covers({ path: list }: Kept, object: string): boolean {
  return [object, object.replace(/\/namespaces\/[^/]+/, '')].some((path) => `${path}/`.startsWith(`${list}/`));
}

function forget({ kept }: Keeping, which: (one: Kept) => boolean): void {
  for (const [key, one] of kept) {
    if (!which(one)) continue;
    kept.delete(key);
    one.watch?.close();
  }
}

/** The list as it was kept; undefined where it has to be made again. */
async function reused(keeping: Keeping, asked: Asked): Promise<ApiObject[] | undefined> {
  const { where, how, key, permit } = asked;
  const known = keeping.kept.get(key);
  if (known === undefined || known.permit !== permit || known.keep !== where.keep) return undefined;
  known.pass = how.pass;
  if (how.renew || permit?.mayWrite() === false || !(await known.watch?.holds())) return undefined;
  if (known.mustList) return undefined;
  keeping.onList?.({ cluster: keeping.transport.name, what: 'reused' });
  return [...known.all.objects];
}

async function listed(keeping: Keeping, { kind, where, how, key, permit }: Asked): Promise<ApiObject[]> {
  const { transport, kept, pageSize, onList } = keeping;
  onList?.({ cluster: transport.name, what: 'listed' });
  const known = kept.get(key);
  const isUnwatched = known !== undefined && known.watch === undefined && known.permit === permit && !how.renew;
  forget(keeping, (one) => one.pass < how.pass - 1 || (one === known && !isUnwatched));
  const mayKeep = (): boolean => !isUnwatched && permit?.mayWrite() !== false;
  const isAlike = known !== undefined && known.permit === permit && known.keep === where.keep;
  const before = mayKeep() ? (isAlike ? known.all : NOTHING_SHARED) : undefined;
  const { version, ...all } = await listObjects(transport, kind, where, { pageSize, before });
  if (!mayKeep() || version === undefined) return [...all.objects];
  const request = listRequest(kind, where);
  const one: Kept = { path: request.path, permit, keep: where.keep, pass: how.pass, all, mustList: false };
  if (fits(keeping, all)) follow(keeping, one, { ...request, version });
  else one.all = NOTHING_SHARED;
  kept.set(key, one);
  endWith(keeping, permit);
  return [...all.objects];
}

function fits({ kept }: Keeping, all: SharedObjects): boolean {
  const others = [...kept.values()].filter(({ watch }) => watch !== undefined);
  const bytes = [all, ...others.map((one) => one.all)].flatMap((one) => one.bytes).reduce((sum, size) => sum + size, 0);
  return others.length < MAX_WATCHES && bytes < MAX_KEPT_BYTES;
}

function follow(keeping: Keeping, one: Kept, from: Parameters<typeof watchList>[1]): void {
  const { transport, times = WATCH_TIMES, onList } = keeping;
  const { name: cluster } = transport;
  one.watch = watchList(transport, from, times, (end) => {
    one.mustList = true;
    if (end.why === 'change') onList?.({ cluster, what: 'changed' });
    if (end.why !== 'refused') return;
    delete one.watch;
    one.all = NOTHING_SHARED;
    onList?.({ cluster, what: 'refused', message: end.message });
  });
}

function endWith(keeping: Keeping, permit: WritePermit | undefined): void {
  if (permit === undefined || keeping.ending.has(permit)) return;
  keeping.ending.add(permit);
  permit.signal.addEventListener('abort', () => forget(keeping, (one) => one.permit === permit), { once: true });
}

/** Why a watch ended. */
type WatchEnd =
  /** Something changed; or only the status of an object. */
  | { readonly why: 'change' | 'status' }
  /** The server does not watch this for this account. */
  | { readonly why: 'refused'; readonly message: string }
  /** Cut, expired, silent or unreadable: nothing is known from there on. */
  | { readonly why: 'lost' | 'closed' };

/** Follows a list from its version on; any change ends it. */
interface ListWatch {
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
const WATCH_TIMES: WatchTimes = { seconds: 900, graceMs: 30_000 };
/** An event is not larger than an object, of which etcd takes 1.5 MiB. */
const LONGEST_LINE = 4 * 1024 * 1024;
const MANY = 429;

type Opened = Pick<WatchRequest, 'path' | 'query'> & { readonly version: string };

function watchList(
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

/**
 * What a line of a watch means to the list that it follows: an object came, went or changed; only the status of one changed; or the
 * server cannot go on from where it was asked to, or this is no watch.
 */
type WatchEvent = 'change' | 'status' | 'fault';

const CHANGES: ReadonlySet<unknown> = new Set(['ADDED', 'MODIFIED', 'DELETED']);

export function watchEvent(line: string): WatchEvent {
  const { type, object } = parsed(line);
  if (!CHANGES.has(type)) return 'fault';
  const metadata = isJson(object) && isJson(object['metadata']) ? object['metadata'] : {};
  return type === 'MODIFIED' && isStatusWrite(metadata['managedFields']) ? 'status' : 'change';
}

/** Whether the latest writes were all to the status; times are in seconds, so one of them may hide another. */
function isStatusWrite(managers: unknown): boolean {
  const entries = Array.isArray(managers) ? managers.filter(isJson) : [];
  const times = entries.map(({ time }) => String(time ?? ''));
  const latest = times.reduce((last, time) => (time > last ? time : last), '');
  return latest !== '' && entries.every((entry, at) => times[at] !== latest || entry['subresource'] === 'status');
}

function parsed(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return isJson(value) ? value : {};
  } catch {
    return {};
  }
}
