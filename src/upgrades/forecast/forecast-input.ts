import type { Decision } from '../engine/decide.ts';
import type { UpgradeGates } from '../engine/upgrade-gate.ts';
import { UPGRADE_GATES } from '../engine/upgrade-gates.ts';
import type { PlannedOrganization } from '../scheduler/plan-organization.ts';
import { type Forecast, type ForecastOptions, forecast } from './forecast.ts';

/** An organization as data alone, which can be sent to another thread: the gates of its decision are functions. */
export interface ForecastInput extends Omit<PlannedOrganization, 'decision'> {
  readonly decision: Omit<Decision, 'gates'>;
}

export function forecastInput(organizations: readonly PlannedOrganization[]): ForecastInput[] {
  return organizations.map(({ decision: { gates: _, ...decision }, ...organization }) => ({
    ...organization,
    decision,
  }));
}

/** The forecast for organizations that came as data, with the gates of this thread. */
export function forecastFrom(
  input: readonly ForecastInput[],
  options: ForecastOptions,
  gates: UpgradeGates = UPGRADE_GATES,
): Forecast {
  return forecast(
    input.map(({ decision, ...organization }) => ({ ...organization, decision: { ...decision, gates } })),
    options,
  );
}
