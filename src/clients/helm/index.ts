export { findHelm } from './find-helm.ts';
export { helmChart } from './helm.ts';
