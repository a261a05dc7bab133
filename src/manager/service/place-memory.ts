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

/** What a manager remembers, read again only when it is asked to: in between nobody else writes it. */
export interface RememberedBefore {
  /** As last read or written; undefined before. */
  text?: { readonly value: string | undefined };
}

export async function withRemembered(
  memory: PlaceMemory | undefined,
  places: readonly Target[],
  before: RememberedBefore,
  { signal, again }: { readonly signal: AbortSignal; readonly again: boolean },
): Promise<RememberedPlaces> {
  if (memory === undefined) return { places };
  try {
    if (again || before.text === undefined) before.text = { value: await memory.read(signal) };
    return { places: withEarlierTargets(places, placesIn(before.text.value)), memory };
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof EchelonError)) throw thrown;
    delete before.text;
    return { places, failure: thrown };
  }
}

/** Writes only what differs. Returns why it could not. */
export async function rememberPlaces(
  memory: PlaceMemory | undefined,
  places: readonly Target[],
  before: RememberedBefore,
  signal: AbortSignal,
): Promise<EchelonError | undefined> {
  const value = placesText(places);
  if (memory === undefined || before.text?.value === value) return undefined;
  try {
    if ((await memory.read(signal)) !== value) await memory.write(value);
    before.text = { value };
    return undefined;
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof EchelonError)) throw thrown;
    delete before.text;
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
