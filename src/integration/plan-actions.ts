import { byText } from '../base/index.ts';
import type { Compared } from './define-integration.ts';

/** The actions of one key, in their order. */
export interface PlannedKey {
  readonly key: string;
  readonly actions: readonly unknown[];
}

/** The keys of a map that belong to this shard. */
export function ownKeys<T>(all: ReadonlyMap<string, T>, isMine: (key: string) => boolean): ReadonlyMap<string, T> {
  return new Map([...all].filter(([key]) => isMine(key)));
}

/** What is to be done, by key in a fixed order; keys that need nothing are not in it. */
export function planActions(
  observed: ReadonlyMap<string, unknown>,
  desired: ReadonlyMap<string, unknown>,
  diff: (compared: Compared<unknown, unknown>) => readonly unknown[],
): PlannedKey[] {
  return [...new Set([...desired.keys(), ...observed.keys()])]
    .toSorted(byText)
    .map((key) => ({ key, actions: diff({ key, observed: observed.get(key), desired: desired.get(key) }) }))
    .filter(({ actions }) => actions.length > 0);
}
