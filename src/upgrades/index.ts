export {
  type Instant,
  instantOf,
  instantText,
  later,
  MICROS,
  millisecondsOf,
  type Opening,
  openingText,
  parseInstant,
  secondText,
} from '../gates/index.ts';
export { type DecideFileOptions, decideFile } from './decide-file.ts';
export type { DecisionJson } from './decision-json.ts';
export { type Decision, decide, type Planned, planUpgrades } from './engine/decide.ts';
export {
  type ClusterState,
  type ExistingPolicy,
  type HeldCluster,
  type InheritedLedger,
  type NodePool,
  type OrgFacts,
  orgFacts,
  type ServedCluster,
  type Surroundings,
  type VersionGate,
} from './engine/facts.ts';
export { inheritSoak } from './engine/inherit-soak.ts';
export { EMPTY_LEDGER, type Ledger, type Minima, type Sighting, type Soak, soakOf } from './engine/ledger.ts';
export { parallelLimit } from './engine/limits.ts';
export { type Observation, observe } from './engine/observe.ts';
export { patternFault } from './engine/patterns.ts';
export type {
  Cancellation,
  Candidate,
  ChannelSwitch,
  Explanation,
  MissingGates,
  PlanItem,
  Upgrade,
} from './engine/plan.ts';
export { type RemainingSoak, SOAK_STATE } from './engine/remaining-soak.ts';
export {
  DEFAULT_RULES,
  MAX_CREDITED_INTERVAL,
  parseRules,
  QONTRACT_RULES,
  RULE_NAMES,
  RULES,
  type RuleName,
  type Rules,
  rulesWith,
} from './engine/rules.ts';
export { ADDON_TIMING, CLUSTER_TIMING, dueAt } from './engine/schedule.ts';
export type { CandidateGate, ClusterGate, UpgradeGate, UpgradeGates } from './engine/upgrade-gate.ts';
export { UPGRADE_GATES } from './engine/upgrade-gates.ts';
export { applicableGates, GATE_LABELS, gatesByMinor } from './engine/version-gates.ts';
export { compareVersions, isVersion, minorOf, sortVersions, type Version } from './engine/versions.ts';
export { nextChannel } from './engine/y-stream.ts';
export {
  type CandidateExplanation,
  type ClusterExplanation,
  explainClusters,
  explanationsOf,
  type GateExplanation,
} from './explain/explain-cluster.ts';
export { DEFAULT_DURATIONS, type Durations } from './forecast/assumptions.ts';
export { forecastCalendar } from './forecast/calendar.ts';
export { type Move, movesBetween } from './forecast/compare.ts';
export type { Foreseen } from './forecast/course.ts';
export { forecastDrawing } from './forecast/drawing.ts';
export {
  type ClusterForecast,
  type Forecast,
  type ForecastOptions,
  forecast,
  type Waiting,
} from './forecast/forecast.ts';
export { type ForecastChange, forecastDocument } from './forecast/forecast-document.ts';
export { type ForecastTable, moveTable, upgradeTable, waitingTable } from './forecast/forecast-rows.ts';
export type { Release as ForecastRelease } from './forecast/offers.ts';
export { applyWhatIf } from './forecast/what-if.ts';
export type { LabelChanges, WhatIf } from './forecast/what-if-change.ts';
export { type NamedText, whatIfInvalid } from './forecast/what-if-file.ts';
export type { ClusterApprovals, GateOutcome, GateResult } from './gate-approver/approve-cluster.ts';
export {
  type ApproverOptions,
  type ApproverReport,
  approveGates,
  type UnseenOrganization,
} from './gate-approver/approve-gates.ts';
export { type DeclaredPolicies, declaredPolicies } from './org-source/declared-policies.ts';
export type { ClusterId, ClusterKey, ClusterUuid } from './policies/cluster-key.ts';
export type { Reading } from './policies/csv.ts';
export { orgSpecFromInstance } from './policies/from-instance.ts';
export { type LabelledOrganization, orgSpecFromLabels } from './policies/from-labels.ts';
export { enabledGates } from './policies/gate-approvals.ts';
export { type Inheritance, inheritanceNetwork, type Sharing } from './policies/inheritance.ts';
export {
  CLUSTER_LABELS,
  clusterKey,
  type Labels,
  ORGANIZATION_LABELS,
  organizationKey,
  PREFIX,
  SECTOR_LABELS,
  sectorKey,
} from './policies/label-keys.ts';
export type {
  ClusterSpec,
  InheritedFrom,
  KnownPolicy,
  OrgSpec,
  SectorSpec,
  UpgradePolicy,
} from './policies/org-spec.ts';
export { type ClusterLabels, parseClusterLabels } from './policies/parse-cluster-labels.ts';
export { type OrganizationLabels, parseOrganizationLabels } from './policies/parse-organization-labels.ts';
export type { PolicyProblem, ProblemScope } from './policies/problem.ts';
export type { PolicyFinding } from './policy-edits/findings.ts';
export type { ClosedGate } from './policy-edits/gates-before.ts';
export {
  editInheritance,
  type InheritanceJson,
  inheritanceLabels,
  inheritanceShape,
  isInheritanceKey,
} from './policy-edits/inheritance-edit.ts';
export { isPolicyKey, type LabelChange, labelDiff, labelsAfter } from './policy-edits/label-diff.ts';
export { LINTS, type Lint, type LintFacts, type LintName, lintPolicies } from './policy-edits/lints.ts';
export type { EndlessUpgrade } from './policy-edits/lints-mutex.ts';
export { type GateFacts, nextMinors, openGates, unblocked } from './policy-edits/open-gates.ts';
export {
  editedJson,
  inheritanceEdit,
  type OrganizationEdit,
  sectorsEdit,
  versionBlocksEdit,
} from './policy-edits/organization-edits.ts';
export type { ConfiguredCluster, ConfiguredOrganization } from './policy-edits/organization-status.ts';
export { checkPolicies, normalizedPolicies } from './policy-edits/plan-policies.ts';
export {
  normalizedPolicy,
  type PolicyJson,
  policiesShape,
  policyJson,
  policyLabels,
  tornFaults,
} from './policy-edits/policy-json.ts';
export { expandSchedule, SCHEDULE_PRESETS } from './policy-edits/presets.ts';
export {
  editSectors,
  isSectorKey,
  ownSectors,
  parseDependencies,
  parseLimit,
  type SectorEdit,
  type SectorJson,
  sectorLabels,
  sectorNameFaults,
  sectorsShape,
} from './policy-edits/sector-edit.ts';
export { blockLabels, editBlocks, isBlockKey, versionBlocksShape } from './policy-edits/version-blocks.ts';
export { fleetReport, type OrganizationSheet, type ReportRow, type SoakingUpgrade } from './report/fleet-report.ts';
export type { Mark } from './report/marks.ts';
export { REPORT_COLUMNS, type ReportCells, reportCells, reportMarkdown } from './report/report-text.ts';
export type { OrganizationReport } from './scheduler/carry-out.ts';
export type { ItemResult } from './scheduler/execute.ts';
export { type Fault, faultOf } from './scheduler/fault.ts';
export {
  CLUSTER_ACTIONS,
  type ClusterAction,
  type ClusterPlan,
  type FleetPlan,
  fleetPlan,
  type OrganizationPlan,
  organizationPlan,
} from './scheduler/fleet-plan.ts';
export type { EnvironmentOutcome } from './scheduler/fleet-view.ts';
export { createMemory, type Memory } from './scheduler/memory.ts';
export { COUNTERS, GAUGES, type GaugeName } from './scheduler/metric-catalogue.ts';
export { type GaugeSeries, gaugeSeries, hasFailed, type Series } from './scheduler/metric-series.ts';
export { clusterChanges, planCounts, planDocument, planObstacles } from './scheduler/plan-document.ts';
export {
  isSkipped,
  type OrganizationKey,
  type OrganizationOutcome,
  type PlannedOrganization,
  type SkippedOrganization,
} from './scheduler/plan-organization.ts';
export { HOLD, type Reservation } from './scheduler/reservations.ts';
export { applySummary, resultDocument } from './scheduler/result-document.ts';
export {
  createScheduler,
  type FleetOutcome,
  type FleetPlanned,
  type FleetReport,
  type PassScope,
  type Scheduler,
  type SchedulerOptions,
  type WriteOptions,
} from './scheduler/scheduler.ts';
export {
  type HealthCheck,
  type HealthProvider,
  isSelected,
  type Selection,
  type ServedOrganization,
  type Site,
} from './scheduler/site.ts';
export { formatState, type OrganizationState, parseState } from './scheduler/state-document.ts';
export { memoryStateStore, type StateStore } from './scheduler/state-store.ts';
export type { Notice } from './scheduler/tell-users.ts';
export type {
  AgreementCreation,
  ClusterRow,
  GateRow,
  LabelRow,
  Listed,
  NodePoolRow,
  PolicyCreation,
  PolicyDeletion,
  PolicyRow,
  PolicyTarget,
  ServiceLogInput,
  ServiceLogRow,
  SubscriptionRow,
  Unread,
  UpgradeApi,
} from './scheduler/upgrade-api.ts';
export { upgradesLeaseName } from './service/lease-scope.ts';
export { openApproverPass, openSchedulerPass } from './service/loops.ts';
export { type LabelPlan, openPolicies, type PolicyService } from './service/policy-service.ts';
export { type MadePlan, openUpgrades, type PlanCalls, type UpgradesService } from './service/service.ts';
export { requestMetrics } from './service/upgrade-metrics.ts';
export { type LoginSettings, userLogin } from './settings/ocm-login.ts';
export {
  GATE_APPROVER,
  LABEL_SCHEDULER,
  ORG_SCHEDULER,
  requireInstance,
  type SourcePurpose,
} from './settings/policy-purpose.ts';
export type { InstancePort, UpgradesPorts } from './settings/ports.ts';
export type { UpgradesSettings } from './settings/settings.ts';
export type { StatePlace } from './settings/state-place.ts';
export { ledgerOf, type StateJson, stateOf, stateShape } from './state-json.ts';
