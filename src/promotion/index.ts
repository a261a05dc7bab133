export { firstPromotionFile } from './discover/first-file.ts';
export { repositoryName } from './discover/known-keys.ts';
export { type Discovered, discover } from './discover/known-places.ts';
export { editEnv } from './edit/edit-env.ts';
export { editLines } from './edit/edit-lines.ts';
export { editYaml, type ScalarEdit } from './edit/edit-yaml.ts';
export type { Edited, EditedScalar } from './edit/edited.ts';
export { listPins, type Pin } from './pins/list-pins.ts';
export { isExpired, type PinNote } from './pins/note.ts';
export type { PinChange } from './pins/pin-change.ts';
export { type PinPlan, type PinSubject, planPin, planUnpin } from './pins/plan-pins.ts';
export { type EntryChoice, integrationOf } from './pins/select-entries.ts';
export type { ShardChoice } from './pins/select-shards.ts';
export { promotionDescription, promotionMarkdown, promotionTitle } from './plan/description.ts';
export { makePromotionPlan, type PlanFacts, type PromotionPlan } from './plan/make-plan.ts';
export {
  metadataLine,
  metadataOf,
  type PromotionMetadata,
  readMetadata,
  readMetadataLine,
  supersedes,
} from './plan/metadata.ts';
export type { Note } from './plan/notes.ts';
export { oldPinNotes, type PinPlace, pinPlaces } from './plan/old-pins.ts';
export type { Caller, Person } from './plan/people.ts';
export { type FileEdit, type PlannedItem, sameBytes, type ValueFor } from './plan/plan-edits.ts';
export type { Range } from './plan/ranges.ts';
export type { SchemasState } from './plan/schemas-notes.ts';
export type { ShardMove, ShardMoves } from './plan/shard-moves.ts';
export { unifiedDiff } from './plan/unified-diff.ts';
export type { Comparison, Relation, UpstreamCommit, UpstreamHistory } from './plan/upstream-history.ts';
export { valuesBefore } from './plan/values-before.ts';
export { type ChangedFile, changedFiles } from './pr-check/changed-files.ts';
export { explainFiles, type Sides } from './pr-check/explain-files.ts';
export { groupedChanges, shardNames } from './pr-check/grouped-changes.ts';
export { checkJunit } from './pr-check/junit.ts';
export { managerImages } from './pr-check/manager-images.ts';
export { checkMarkdown, reasonText } from './pr-check/markdown.ts';
export { orderGroups, planRuns } from './pr-check/plan.ts';
export { compareProblems } from './pr-check/problems.ts';
export {
  type CheckReport,
  type PlannedRun,
  type RenderTrouble,
  type RunResult,
  shardsText,
  verdictOf,
  type WorkloadReport,
} from './pr-check/report.ts';
export { selectIntegrations } from './pr-check/select.ts';
export type { Side } from './pr-check/side.ts';
export type { GuardedObject, RenderedWorkloads } from './pr-check/workload-report.ts';
export { compareWorkloads, type RenderedSide, workloadKey } from './pr-check/workloads.ts';
export type { NamedShards, PlannedPins } from './service/change-pins.ts';
export type { PrCheckPorts, ReadyRun } from './service/check-ports.ts';
export type { PrCheckRequest } from './service/check-requests.ts';
export type { Delivery } from './service/delivery.ts';
export type { ListedPin } from './service/list-pinned.ts';
export { openPins, type Pins } from './service/open-pins.ts';
export { openPrCheck } from './service/open-pr-check.ts';
export { type Direction, openPromotion, type Promotion } from './service/open-promotion.ts';
export type { LivePin, LivePins, PinPorts } from './service/pin-ports.ts';
export type { PromotionPorts } from './service/ports.ts';
export type { DeliveryRequest, PlanRequest } from './service/requests.ts';
export { chooseTargets, chooseUpstream } from './targets/choose.ts';
export { type Place, type Sources, valueAtKeys } from './targets/locate.ts';
export {
  type Form,
  PROMOTION_FILE,
  type PromotionConfig,
  readPromotionFile,
  type Target,
  type Upstream,
} from './targets/promotion-file.ts';
export type { Version } from './targets/value-form.ts';
