import type { Brand } from '../../base/index.ts';

/** Id of a cluster in OCM, as in API paths. */
export type ClusterId = Brand<string, 'ClusterId'>;
/** The external id of a cluster; never reused, unlike a name. */
export type ClusterUuid = Brand<string, 'ClusterUuid'>;

export interface ClusterKey {
  readonly id: ClusterId;
  readonly uuid: ClusterUuid;
  readonly name: string;
}
