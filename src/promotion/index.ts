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
  HostedRepository,
  LivePin,
  LivePins,
  PinPorts,
  PlanRequest,
  PromotionPorts,
  Repository,
} from './ports.ts';
export type { Delivery } from './service/delivery.ts';
export { requestDocument } from './service/delivery-document.ts';
export { type Direction, openPromotion, type Promotion } from './service/open-promotion.ts';
export { PROMOTION_FILE, promotionShape } from './targets/promotion-file.ts';
export { knownDistances, type ListedVersion, listVersions, pathInRepository } from './versions.ts';
