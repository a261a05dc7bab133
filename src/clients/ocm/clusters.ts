import * as z from 'zod';
import {
  equal,
  flag,
  listRecords,
  type OcmList,
  oneOf,
  type RecordKind,
  readRecord,
  required,
  type Selection,
  searches,
  text,
  texts,
  time,
} from './listing.ts';
import { CLUSTERS, isNotFound, segment, type Transport } from './transport.ts';

interface VersionRecord {
  /** `openshift-v4.16.3`, with `-<channel group>` unless that is `stable`. */
  readonly id: string | undefined;
  /** `4.16.3` */
  readonly rawId: string;
  readonly channelGroup: string | undefined;
  /** Raw ids, for this cluster or node pool. */
  readonly availableUpgrades: readonly string[];
  /** Only of a cluster that was read by itself; lists leave it out. */
  readonly availableChannels: readonly string[];
}

interface ClusterRecord {
  readonly id: string;
  /** The UUID; a cluster has none before it is installed. */
  readonly externalId: string | undefined;
  readonly name: string;
  /** `ready`, `installing`, `error`, `hibernating`, …, or one that came later. */
  readonly state: string;
  readonly subscriptionId: string | undefined;
  /** `osd`, `rosa` */
  readonly productId: string | undefined;
  readonly version: VersionRecord;
  /** `stable-4.16` */
  readonly channel: string | undefined;
  /** Whether its control plane is hosted. */
  readonly hypershift: boolean;
  readonly sts: boolean;
  /** `healthy`, `unhealthy`, `unknown` */
  readonly healthState: string | undefined;
  readonly createdAt: string | undefined;
}

interface ClusterQuery {
  readonly by?: Selection<'id' | 'external_id' | 'name' | 'subscription.id' | 'organization.id'>;
  readonly managed?: boolean;
  readonly states?: readonly string[];
  readonly productIds?: readonly string[];
}

export interface ClusterApi {
  listClusters(query: ClusterQuery): Promise<OcmList<ClusterRecord>>;
  /** With the channels that it can move to; undefined when there is none of that id. */
  getCluster(id: string): Promise<ClusterRecord | undefined>;
  /** Moves it to another Y-stream channel, which changes what it can be upgraded to. */
  switchChannel(id: string, channel: string): Promise<void>;
}

const VERSION = z
  .object({
    ...{ id: text, raw_id: required, channel_group: text, available_upgrades: texts, available_channels: texts },
  })
  .transform((version) => ({
    ...{ id: version.id, rawId: version.raw_id, channelGroup: version.channel_group },
    ...{ availableUpgrades: version.available_upgrades, availableChannels: version.available_channels },
  }));

const REFERENCE = z
  .object({ id: text })
  .nullish()
  .transform((value) => value?.id);

const SWITCH = z
  .object({ enabled: flag })
  .nullish()
  .transform((value) => value?.enabled ?? false);

const CLUSTER: RecordKind<ClusterRecord> = {
  known: ['name', 'external_id', 'state', 'subscription.id', 'version.raw_id'],
  shape: z
    .object({
      ...{ id: required, external_id: text, name: required, state: required, subscription: REFERENCE },
      ...{ product: REFERENCE, version: VERSION, channel: text, hypershift: SWITCH, health_state: text },
      ...{ aws: z.object({ sts: SWITCH }).nullish(), creation_timestamp: time },
    })
    .transform((row) => ({
      ...{ id: row.id, externalId: row.external_id, name: row.name, state: row.state },
      ...{ subscriptionId: row.subscription, productId: row.product, version: row.version, channel: row.channel },
      ...{ hypershift: row.hypershift, sts: row.aws?.sts ?? false },
      ...{ healthState: row.health_state, createdAt: row.creation_timestamp },
    })),
};

export function clusterApi(transport: Transport): ClusterApi {
  const one = (id: string) => ({ path: `${CLUSTERS}/clusters/${segment(id)}`, collection: 'clusters' });
  return {
    listClusters: ({ by, managed, states, productIds }) => {
      const terms = [
        ...(managed === undefined ? [] : [equal('managed', String(managed))]),
        ...(productIds === undefined ? [] : [oneOf('product.id', productIds)]),
        ...(states === undefined ? [] : [oneOf('state', states)]),
      ];
      const collection = { ...CLUSTER, path: `${CLUSTERS}/clusters`, name: 'clusters' };
      return listRecords(transport, { ...collection, orderBy: 'order' }, searches(terms, by));
    },
    getCluster: async (id) => {
      const request = { method: 'GET', ...one(id) } as const;
      try {
        return readRecord(transport.nameOf(request), CLUSTER, await transport.send(request));
      } catch (thrown) {
        if (isNotFound(thrown)) return undefined;
        throw thrown;
      }
    },
    switchChannel: async (id, channel) => {
      await transport.send({ method: 'PATCH', ...one(id), json: { channel }, repeat: 'any-failure' });
    },
  };
}

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
