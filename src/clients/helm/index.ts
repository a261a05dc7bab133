export { type FindHelmOptions, findHelm } from './find-helm.ts';
export { type HelmOptions, helmChart } from './helm.ts';
