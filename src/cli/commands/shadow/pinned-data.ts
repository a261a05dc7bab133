import { resolve } from 'node:path';
import { copiedData, withScratch } from '../../../clients/files/index.ts';
import { type Instance, readInstance, type Snapshot, stateOf } from '../../../instance/index.ts';
import { type InstanceFlags, instanceSource } from '../../instance-option.ts';
import type { Io } from '../../io.ts';

/** One revision of the data, which does not change while runs read it. */
export interface PinnedData {
  readonly instance: Instance;
  /** For runs: a folder, a bundle file, or the address of one bundle. */
  readonly place: string;
  readonly isLocal: boolean;
  readonly changed: () => Promise<string | undefined>;
  /** An empty folder, removed at the end. */
  readonly scratch: string;
}

/** Copies a folder or a bundle; of a server, addresses the bundle that was read by its sha. */
export async function withPinnedData<T>(
  io: Io,
  flags: InstanceFlags,
  use: (data: PinnedData) => Promise<T>,
): Promise<T> {
  const source = await instanceSource(io, flags);
  const read = await source.load({ signal: io.signal });
  return withScratch('shadow', async (scratch) => {
    const pinned = (snapshot: Snapshot, place: string) => ({ instance: readInstance(snapshot), place, scratch });
    if (read.kind === 'server') {
      const place = `${read.origin.replace(/\/+(?:graphql)?\/*$/, '')}/graphqlsha/${read.revision.sha256}`;
      const changed = async (): Promise<string | undefined> => {
        const now = await source.glimpse();
        return now === stateOf(read.revision) ? undefined : 'the server has another bundle than when the runs began';
      };
      return use({ ...pinned(read, place), isLocal: false, changed });
    }
    const place = copiedData(read.kind, resolve(io.cwd, read.origin), scratch);
    const copy = await (await instanceSource(io, { data: place })).load({ signal: io.signal });
    const snapshot = copy.revision.sha256 === read.revision.sha256 ? { ...copy, revision: read.revision } : copy;
    return use({ ...pinned(snapshot, place), isLocal: true, changed: async () => undefined });
  });
}
