export type { ApiObject } from './api-object.ts';
export { type KubeConnection, tokenConnection } from './connection.ts';
export { currentCluster, currentKubeconfig } from './current-cluster.ts';
export { inCluster, isInCluster, ownNamespace } from './in-cluster.ts';
export { type KubeClient, type KubeClientOptions, kubeClient } from './kube-client.ts';
export { kubeconfigFiles, missingKubeconfig } from './kubeconfig.ts';
export { kubeTransport } from './transport.ts';
