export { type ClusterLogin, chooseLogin, contextsOf, type LoginFacts, requireServer } from './access/cluster-login.ts';
export { bootstrapManifests, bootstrapTemplate, managerValues } from './desired/bootstrap.ts';
export { badCapabilities, parseCapabilities } from './desired/capabilities-file.ts';
export { type ChartOutput, readChartOutput } from './desired/chart-output.ts';
export { type DesiredNamespace, desiredNamespace, type KubeObject } from './desired/desired-namespace.ts';
export { type ManagedShards, type NamespaceGroup, targetOf } from './desired/group.ts';
export { identityOf } from './desired/identity.ts';
export { DEFAULT_UPSTREAM } from './desired/image-parameters.ts';
export { objectFile } from './desired/object-file.ts';
export {
  collectParameters,
  DEFAULT_IMAGE,
  type ParameterSources,
  parseAssignment,
  upstreamRef,
} from './desired/parameters.ts';
export {
  type ChartRenderer,
  type RenderCache,
  type Rendered,
  type RenderFailure,
  type RenderOptions,
  renderGroups,
} from './desired/render.ts';
export { memoryCache } from './desired/render-memory.ts';
export { checkWorkloads, type RenderScope, type SelectOptions, selectWorkloads } from './desired/select.ts';
export { type NamespaceValues, valuesOf } from './desired/values.ts';
export type { ClusterApi, Connect, ListWhere, ObjectId } from './plan/cluster-api.ts';
export type { Difference } from './plan/differences.ts';
export { type ExecuteOptions, executePlan, type ItemResult } from './plan/execute.ts';
export {
  changesOf,
  type FleetPlan,
  type FleetPlanOptions,
  placeOf,
  planFleet,
  type Summary,
  summaryOf,
} from './plan/fleet-plan.ts';
export { type GuardBreach, guardBreaches } from './plan/guard.ts';
export { labelsOf, selectorOf } from './plan/marks.ts';
export { type ObjectChange, objectChange } from './plan/object-change.ts';
export { type LiveCluster, observe, type PlaceFailure, type Target } from './plan/observe.ts';
export { type Action, KINDS, type PlanItem } from './plan/plan.ts';
export { predicted, shown } from './plan/predict.ts';
export { readSavedPlan, type SavedPlan, savedPlan, staleItems, targetsOf } from './plan/saved-plan.ts';
export type { ApprovedPlan, DesiredFleet, FleetStatus, PlannedFleet } from './service/fleet.ts';
export { managerMetrics } from './service/manager-metrics.ts';
export type { ObservedShards } from './service/observe-shards.ts';
export { type Manager, openManager } from './service/open-manager.ts';
export { errorsIn, type OperatedFleet } from './service/operated-fleet.ts';
export type { ManagerPorts } from './service/ports.ts';
export { type ManagerChoices, managerSettings } from './service/settings.ts';
export { tagOf } from './status/image-tag.ts';
export { isSettled, type ShardState, type ShardStatus, statusOf } from './status/status.ts';
