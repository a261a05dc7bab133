export { type KubeConnection, tokenConnection } from './connection.ts';
export { inCluster, isInCluster, ownNamespace } from './in-cluster.ts';
export { type ApiObject, type KubeClient, kubeClient } from './kube-client.ts';
export { type KubeConfigFile, kubeconfigFiles, missingKubeconfig, openKubeconfig } from './kubeconfig.ts';
export type { KubeCall } from './round-trip.ts';
