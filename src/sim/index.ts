export type { KubeObject, ManagedFieldsEntry, ObjectMeta, OwnerReference } from './kube/objects.ts';
export { type SimKube, type SimKubeOptions, type SimRequest, startSimKube } from './kube/sim-kube.ts';
export type { SimStore } from './kube/sim-store.ts';
export * from './ocm/index.ts';
