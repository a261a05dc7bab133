import type { KubeObject } from '../desired/desired-namespace.ts';
import type { ClusterApi } from '../plan/cluster-api.ts';

/** Bytes of a log that are compared; a longer one is cut off, and said to be so. */
export const MOST_LOG_BYTES = 16 * 1024 * 1024;

interface LogOf {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly mostBytes: number;
  /** Not asked for again when its response is lost. */
  readonly once?: true;
}

/** What a shadow needs from a cluster, more than a manager does. */
export interface ShadowCluster extends Pick<ClusterApi, 'list' | 'remove'> {
  /** KUBE_CONFLICT when an object of the name exists. */
  create(object: KubeObject, signal?: AbortSignal): Promise<unknown>;
  /** What a container printed, from its beginning; undefined where the pod or its log is gone. */
  log(of: LogOf, signal?: AbortSignal): Promise<string | undefined>;
}
