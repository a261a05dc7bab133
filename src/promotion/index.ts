export type { Pin } from './pins/list-pins.ts';
export { pinChangeListing, pinChangeSummary, pinListing } from './pins/pin-listings.ts';
export { type ListedPin, type NamedShards, openPins, type Pins, type PlannedPins } from './pins/pins.ts';
export { promotionMarkdown } from './plan/merge-request-text.ts';
export {
  authorText,
  promotionDocument,
  promotionSummary,
  promotionTable,
  rangeText,
  shardLines,
  unifiedDiff,
} from './plan/plan-text.ts';
export type { PromotionPlan } from './plan/promotion-plan.ts';
export type {
  DeliveryRequest,
  HostedRepository,
  LivePin,
  LivePins,
  PinPorts,
  PlanRequest,
  PromotionPorts,
  Repository,
} from './ports.ts';
export { type Delivery, requestDocument } from './service/delivery.ts';
export { type Direction, openPromotion, type Promotion } from './service/promotion.ts';
export { PROMOTION_FILE, promotionShape } from './targets/promotion-file.ts';
export { knownDistances, type ListedVersion, listVersions, pathInRepository } from './versions.ts';
