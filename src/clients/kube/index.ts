export { inCluster, isInCluster, type KubeConnection, ownNamespace, tokenConnection } from './connection.ts';
export { type KubeClient, type KubeClientOptions, kubeClient } from './kube-client.ts';
export { currentCluster, currentKubeconfig, kubeconfigFiles, missingKubeconfig } from './kubeconfig.ts';
export type { ApiObject } from './list-objects.ts';
export { kubeTransport } from './transport.ts';
