import { EchelonError, isJson } from '../../base/index.ts';
import type { Target } from '../plan/observe.ts';
import { withEarlierTargets } from './targets.ts';

/** Where a manager remembers its places: text that outlives the process, so that a restart finds what is no longer declared. */
export interface PlaceMemory {
  read(signal?: AbortSignal): Promise<string | undefined>;
  /** Rejects if someone else wrote since the last read. */
  write(text: string): Promise<void>;
}

/** Places with those that are remembered, and why they could not be read. */
export interface RememberedPlaces {
  readonly places: readonly Target[];
  readonly failure?: EchelonError;
  /** Absent where it could not be read: it must not be replaced by less. */
  readonly memory?: PlaceMemory;
}

export async function withRemembered(
  memory: PlaceMemory | undefined,
  places: readonly Target[],
  signal: AbortSignal,
): Promise<RememberedPlaces> {
  if (memory === undefined) return { places };
  try {
    return { places: withEarlierTargets(places, placesIn(await memory.read(signal))), memory };
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof EchelonError)) throw thrown;
    return { places, failure: thrown };
  }
}

/** Writes only what differs. Returns why it could not. */
export async function rememberPlaces(
  memory: PlaceMemory | undefined,
  places: readonly Target[],
  signal: AbortSignal,
): Promise<EchelonError | undefined> {
  if (memory === undefined) return undefined;
  const text = placesText(places);
  try {
    if ((await memory.read(signal)) !== text) await memory.write(text);
    return undefined;
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof EchelonError)) throw thrown;
    return thrown;
  }
}

/** The same text for the same places, in whatever order. */
export function placesText(places: readonly Target[]): string {
  const named = places.map(({ cluster, namespaces }): [string, string[]] => [cluster, namespaces.toSorted()]);
  return JSON.stringify(Object.fromEntries(named.toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

/** Text that is not of this format remembers nothing. */
export function placesIn(text: string | undefined): Target[] {
  const read = parsed(text);
  return isJson(read)
    ? Object.entries(read).flatMap(([cluster, namespaces]) =>
        Array.isArray(namespaces) && namespaces.every((one): one is string => typeof one === 'string')
          ? [{ cluster, namespaces }]
          : [],
      )
    : [];
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '{}');
  } catch {
    return undefined;
  }
}
