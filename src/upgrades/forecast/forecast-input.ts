import { UPGRADE_GATES } from '../engine/decide.ts';
import type { UpgradeGates } from '../engine/gate.ts';
import { type Forecast, type ForecastOptions, forecast } from './forecast.ts';
import type { ForecastInput, ForecastOrganization } from './forecast-organization.ts';

/** Without anything else that was decided or read about it, which may be let go. */
export function forecastOrganization({
  decision: { gates },
  ...organization
}: ForecastOrganization): ForecastOrganization {
  return { ...inputOf(organization), decision: { gates } };
}

export function forecastInput(organizations: readonly ForecastInput[]): ForecastInput[] {
  return organizations.map(inputOf);
}

function inputOf({ environment, orgId, name, spec, facts }: ForecastInput): ForecastInput {
  return { environment, orgId, name, spec, facts };
}

/** The forecast for organizations that came as data, with the gates of this thread. */
export function forecastFrom(
  input: readonly ForecastInput[],
  options: ForecastOptions,
  gates: UpgradeGates = UPGRADE_GATES,
): Forecast {
  return forecast(
    input.map((organization) => ({ ...organization, decision: { gates } })),
    options,
  );
}
