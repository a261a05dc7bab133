import { EchelonError, existingBucket, memoryStateStore, parseStatePlace, type StateStore } from '../base/index.ts';
import { openStore } from '../clients/state/index.ts';
import type { ReadState, WriteState } from './contexts.ts';

interface StateHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onSecret?: (secret: string) => void;
}

/** ECHELON_STATE, else the bucket of a pod with `state`, else the memory of this process. */
export function integrationStore(host: StateHost, cwd: string): StateStore {
  const given = host.env['ECHELON_STATE'];
  const place = given ? parseStatePlace(given, cwd) : existingBucket(host.env, host.onSecret);
  return place === undefined ? memoryStateStore() : openStore(host, place);
}

/** JSON values below a prefix, so that integrations share a store. */
export function jsonState(store: StateStore, prefix: string): WriteState {
  return {
    read: async (key) => {
      const found = await store.read(`${prefix}/${key}`);
      if (found === undefined) return undefined;
      return { value: parsed(found.value, key, store.name), version: found.version };
    },
    write: (key, value, expected) =>
      store.write(`${prefix}/${key}`, new TextEncoder().encode(JSON.stringify(value ?? null)), expected),
  };
}

export function readingState({ read }: WriteState): ReadState {
  return { read };
}

function parsed(bytes: Uint8Array, key: string, place: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new EchelonError({
      code: 'STATE_CORRUPT',
      message: `the state ${key} in ${place} is not JSON`,
      hint: 'delete it, or restore it from a backup',
      cause,
    });
  }
}
