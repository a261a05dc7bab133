export { bootstrapManifests, bootstrapTemplate, managerValues } from './bootstrap.ts';
export { type ChartOutput, readChartOutput } from './chart-output.ts';
export { type DesiredNamespace, desiredNamespace, type KubeObject } from './desired.ts';
export { type ManagedShards, type NamespaceGroup, targetOf } from './group.ts';
export { type FolderChanges, type FolderOptions, type RenderScope, writeFolder } from './output-folder.ts';
export { collectParameters, DEFAULT_IMAGE, type ParameterSources, parseAssignment, upstreamRef } from './parameters.ts';
export {
  type ChartRenderer,
  type RenderCache,
  type Rendered,
  type RenderFailure,
  type RenderOptions,
  renderGroups,
} from './render.ts';
export { memoryCache } from './render-memory.ts';
export { checkWorkloads, type SelectOptions, selectWorkloads } from './select.ts';
export { type NamespaceValues, valuesOf } from './values.ts';
