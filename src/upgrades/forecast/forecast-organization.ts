import type { Decision } from '../engine/decide.ts';
import type { OrganizationKey, PlannedOrganization } from '../scheduler/plan-organization.ts';

/** What a forecast needs of an organization. As data alone it can be sent to another thread; gates are functions. */
export interface ForecastInput extends OrganizationKey, Pick<PlannedOrganization, 'spec' | 'facts'> {}

/** An organization to forecast, with its gates. */
export interface ForecastOrganization extends ForecastInput {
  readonly decision: Pick<Decision, 'gates'>;
}
