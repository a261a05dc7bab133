export { decideFile } from './decide-file.ts';
export type { UpgradeGates } from './engine/gate.ts';
export { DEFAULT_RULES, parseRules, type Rules } from './engine/rules.ts';
export type { Ledger } from './engine/soak.ts';
export { compareVersions, compareVersionTexts, isVersion, type Version } from './engine/versions.ts';
export { forecastCalendar } from './forecast/calendar.ts';
export { forecastDrawing } from './forecast/drawing.ts';
export type { ClusterForecast, Forecast, ForecastOptions } from './forecast/forecast.ts';
export { forecastFrom, forecastInput } from './forecast/forecast-input.ts';
export type { ForecastInput } from './forecast/forecast-organization.ts';
export type { ForecastChange } from './forecast/request.ts';
export { forecastDocument, forecastMarkdown, forecastText } from './forecast/text.ts';
export type { ForecastUpgrade } from './forecast/upgrade-runs.ts';
export { MAX_WHAT_IF_BYTES, type NamedText, whatIfInvalid } from './forecast/what-if-file.ts';
export { requestMetrics } from './metrics/scheduler-metrics.ts';
export type { PolicyProblem } from './policies/org-spec.ts';
export type { ClosedGate } from './policy-edits/agreements.ts';
export type { PolicyFinding } from './policy-edits/findings.ts';
export type { LabelChange } from './policy-edits/label-changes.ts';
export {
  documentFault,
  editedJson,
  freezesEdit,
  type InheritanceJson,
  inheritanceEdit,
  inheritanceShape,
  type OrganizationEdit,
  organizationListShape,
  parseDependencies,
  parsedDocument,
  parseLimit,
  type SectorEdit,
  type SectorJson,
  sectorsEdit,
  sectorsShape,
  versionBlocksEdit,
} from './policy-edits/organization.ts';
export { checkPolicies, normalizedPolicies, type PolicyJson, policiesShape } from './policy-edits/policies.ts';
export { type LabelPlan, openPolicies, type PolicyService } from './policy-edits/service.ts';
export { clusterTable, type OrganizationStatus, sectorTable, statusFacts } from './policy-edits/status.ts';
export type { PastUpgrade } from './scheduler/past.ts';
export { isSkipped, type PlannedOrganization, type ReadingDepth } from './scheduler/plan-organization.ts';
export type { HealthCheck, HealthProvider, Listed, Site, UpgradeApi, UpgradeTarget } from './scheduler/ports.ts';
export { type Fault, faultOf } from './scheduler/ports.ts';
export {
  type AppliedPlan,
  createScheduler,
  type FleetPlanned,
  type FleetReport,
  type WriteOptions,
} from './scheduler/scheduler.ts';
export { upgradesShape } from './service/config-file.ts';
export { openApproverPass, openSchedulerPass } from './service/passes.ts';
export type { InstancePort, UpgradesPorts } from './service/ports.ts';
export { type MadePlan, openUpgrades, type PlanCalls, type UpgradesService } from './service/service.ts';
export type { UpgradesSettings } from './service/sources.ts';
export {
  GATE_APPROVER,
  LABEL_SCHEDULER,
  ORG_SCHEDULER,
  requireInstance,
  type SourcePurpose,
  servedOrganizations,
  upgradesLeaseName,
} from './service/sources.ts';
export { type LoginSettings, userLogin } from './service/user-login.ts';
export {
  type CandidateExplanation,
  type ClusterExplanation,
  explainClusters,
  type GateExplanation,
} from './views/explanation.ts';
export { explanationMarkdown, explanationPage } from './views/explanation-text.ts';
export { type HistoryEvent, newestFirst, shownHistory } from './views/history.ts';
export {
  type ClusterAction,
  type ClusterPlan,
  fleetPlan,
  type UpgradePlan,
} from './views/plan.ts';
export {
  applyQuestion,
  applySummary,
  applySummaryText,
  clusterChanges,
  planDocument,
  planObstacles,
  resultDocument,
  serviceLogCount,
  serviceLogTable,
  type UpgradePlanTable,
  upgradePlanSummary,
  upgradePlanTable,
} from './views/plan-text.ts';
export type { OrganizationSheet, ReportRow, SoakingUpgrade } from './views/report.ts';
export { reportDocument } from './views/report.ts';
export { historyEventText, reportMarkdown, reportTables } from './views/report-text.ts';
export { watchedPlan } from './views/watched-plan.ts';
