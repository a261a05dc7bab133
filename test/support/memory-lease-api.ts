import { EchelonError } from '../../src/base/index.ts';
import type { LeaseApi, LeaseRecord } from '../../src/runtime/index.ts';

/** An in-memory lease with the compare-and-swap of the real one. */
export interface MemoryLeaseApi extends LeaseApi {
  /** What is stored now. */
  stored(): LeaseRecord | undefined;
  delete(): void;
}

export function memoryLeaseApi(): MemoryLeaseApi {
  let stored: LeaseRecord | undefined;
  let version = 0;
  const store = (record: LeaseRecord): LeaseRecord => {
    version += 1;
    stored = { ...record, resourceVersion: String(version) };
    return stored;
  };
  return {
    stored: () => stored,
    delete: () => {
      stored = undefined;
    },
    read: async () => stored,
    create: async (record) => {
      if (stored !== undefined) throw lostRace('KUBE_EXISTS', 'the lease already exists');
      return store(record);
    },
    update: async (record) => {
      if (stored === undefined) throw lostRace('KUBE_NOT_FOUND', 'lease not found');
      if (record.resourceVersion !== stored.resourceVersion) throw lostRace('KUBE_CONFLICT', 'the lease was changed');
      return store(record);
    },
  };
}

function lostRace(code: string, message: string): EchelonError {
  return new EchelonError({ code, message, hint: 'read the lease again' });
}
