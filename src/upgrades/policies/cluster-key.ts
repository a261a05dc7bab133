import type { Brand } from '../../base/index.ts';

/** Id of a cluster in OCM; paths of its API have it. */
export type ClusterId = Brand<string, 'ClusterId'>;
/** The external id of a cluster; it never returns, unlike a name. */
export type ClusterUuid = Brand<string, 'ClusterUuid'>;

export interface ClusterKey {
  readonly id: ClusterId;
  readonly uuid: ClusterUuid;
  readonly name: string;
}
