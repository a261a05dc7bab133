export type { Pin } from './pins/list-pins.ts';
export { pinChangeListing, pinChangeSummary, pinListing } from './pins/pin-listings.ts';
export { type ListedPin, type NamedShards, openPins, type Pins, type PlannedPins } from './pins/pins.ts';
export { promotionMarkdown } from './plan/description.ts';
export type { PromotionPlan } from './plan/make-plan.ts';
export { promotionDocument } from './plan/plan-document.ts';
export { authorText, promotionSummary, promotionTable, rangeText, shardLines } from './plan/plan-text.ts';
export { unifiedDiff } from './plan/unified-diff.ts';
export type {
  DeliveryRequest,
  LivePin,
  LivePins,
  PinPorts,
  PlanRequest,
  PromotionPorts,
} from './ports.ts';
export { checkText } from './pr-check/check-text.ts';
export { checkJunit } from './pr-check/junit.ts';
export { checkMarkdown } from './pr-check/markdown.ts';
export { type CheckReport, type RunResult, verdictOf } from './pr-check/report.ts';
export { passedVariables, runEnvironment } from './pr-check/run-environment.ts';
export {
  localProgram,
  type RunnerFlags,
  type RunnerName,
  requireCommand,
  runImageFault,
} from './pr-check/run-program.ts';
export type { GuardedObject, RenderedWorkloads } from './pr-check/workload-report.ts';
export { workloadKey } from './pr-check/workloads.ts';
export type { PrCheckPorts, ReadyRun } from './service/check-ports.ts';
export type { PrCheckRequest } from './service/check-requests.ts';
export type { Delivery } from './service/delivery.ts';
export { requestDocument } from './service/delivery-document.ts';
export { openPrCheck } from './service/open-pr-check.ts';
export { type Direction, openPromotion, type Promotion } from './service/open-promotion.ts';
export { PROMOTION_FILE, promotionShape } from './targets/promotion-file.ts';
export { knownDistances, type ListedVersion, listVersions, pathInRepository } from './versions.ts';
