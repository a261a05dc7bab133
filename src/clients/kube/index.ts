export { type Credentials, type KubeConnection, tokenConnection } from './connection.ts';
export { inCluster, isInCluster, ownNamespace } from './in-cluster.ts';
export {
  type ApiObject,
  FIELD_MANAGER,
  type KubeClient,
  type KubeClientOptions,
  kubeClient,
  type ListOptions,
  type ObjectId,
} from './kube-client.ts';
export { type FieldConflict, KubeError, type KubeErrorCode } from './kube-error.ts';
export { type KubeConfigFile, type KubeContext, kubeconfigFiles, openKubeconfig } from './kubeconfig.ts';
export type { KubeCall } from './round-trip.ts';
export { DEFAULT_CONCURRENCY, type TransportOptions } from './transport.ts';
