export { type SimKube, startSimKube } from './kube/sim-kube.ts';
export * from './ocm/index.ts';
