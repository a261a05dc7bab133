import type { WritePermit } from '../http/index.ts';
import type { ApiObject } from './api-object.ts';
import { type ListOptions, listObjects, listRequest, type WatchedPass } from './list-objects.ts';
import { type ListWatch, WATCH_TIMES, type WatchTimes, watchList } from './list-watch.ts';
import { NOTHING_SHARED, type SharedObjects } from './shared-objects.ts';
import type { KubeTransport } from './transport.ts';

/** What happens to lists that are kept, for metrics and logs. */
export type ListReport = { readonly cluster: string } & (
  | { readonly what: 'listed' | 'reused' | 'changed' }
  /** The server watches nothing for this account. */
  | { readonly what: 'refused'; readonly message: string }
);

export interface KeptListsOptions {
  readonly permit?: (() => WritePermit | undefined) | undefined;
  readonly pageSize?: number | undefined;
  readonly onList?: ((report: ListReport) => void) | undefined;
  readonly times?: WatchTimes | undefined;
}

export interface KeptLists {
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
