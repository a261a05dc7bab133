import { drawActions, drawEvents } from './upgrade-simulation-changes.ts';
import { dice } from './upgrade-simulation-dice.ts';
import { drawGates, drawOrganizations, drawReleases, drawSchedules } from './upgrade-simulation-fleet.ts';
import { drawPasses, drawTimes, withLongJumps } from './upgrade-simulation-passes.ts';
import { DAY, type Scenario } from './upgrade-simulation-scenario.ts';

export const DAYS = 180;
const QUIET_DAYS = 45;
/** Versions still come after the faults have ended, and can still soak. */
const LAST_RELEASE_BEFORE_END = 25;

/** In every so many fleets a clock is days ahead now and then. */
const LONG_JUMPS_EVERY = 4;

/** The same seed gives the same scenario. */
export function drawScenario(seed: number, days = DAYS): Scenario {
  const schedules = drawSchedules(dice(seed, 'schedules'));
  const organizations = drawOrganizations(dice(seed, 'fleet'), schedules);
  const gates = drawGates(dice(seed, 'gates'));
  const quietFrom = (days - QUIET_DAYS) * DAY;
  const times = drawTimes(dice(seed, 'times'), schedules, days, quietFrom);
  const passes = drawPasses(dice(seed, 'passes'), times, quietFrom);
  return {
    seed,
    organizations,
    gates,
    releases: drawReleases(dice(seed, 'releases'), days - LAST_RELEASE_BEFORE_END),
    events: drawEvents(dice(seed, 'events'), organizations, schedules, quietFrom),
    actions: drawActions(dice(seed, 'actions'), { organizations, gates }, quietFrom),
    passes: seed % LONG_JUMPS_EVERY === 0 ? withLongJumps(dice(seed, 'long jumps'), passes, quietFrom) : passes,
    quietFrom,
    creditedHours: dice(seed, 'credit').pick([12, 36, 72]),
    resyncSeconds: dice(seed, 'resync').pick([600, 6 * 3_600, 24 * 3_600]),
  };
}
