import * as z from 'zod';
import { VERSION, type VersionRecord } from './clusters.ts';
import { required } from './fields.ts';
import { listRecords, type OcmList, type RecordKind } from './listing.ts';
import { CLUSTERS, segment } from './paths.ts';
import type { Transport } from './transport.ts';

interface NodePoolRecord {
  /** The name that its user gave it; unique in its cluster. */
  readonly id: string;
  readonly version: VersionRecord;
}

export interface NodePoolApi {
  /** Of a cluster with a hosted control plane. */
  listNodePools(clusterId: string): Promise<OcmList<NodePoolRecord>>;
}

const NODE_POOL: RecordKind<NodePoolRecord> = {
  known: ['version.raw_id'],
  shape: z.object({ id: required, version: VERSION }),
};

export function nodePoolApi(transport: Transport): NodePoolApi {
  return {
    listNodePools: (clusterId) => {
      const path = `${CLUSTERS}/clusters/${segment(clusterId)}/node_pools`;
      return listRecords(transport, { ...NODE_POOL, path, name: 'node_pools', orderBy: 'order' });
    },
  };
}
