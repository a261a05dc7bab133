import { manualClock, startSimOcm } from '../../src/sim/index.ts';
import { configText, SIM_SECRET } from '../support/upgrades-cli.ts';
import { DAILY_FLEET } from './daily-organization.ts';
import { MIXED_FLEET } from './mixed-organization.ts';
import { FLEET_START, halves, upgradeFleet } from './upgrade-fleet.ts';

/**
 * The simulated OCM of a forecast, as a process of its own: `forecast-ocm.ts ORGANIZATIONS CLUSTERS_OF_EACH [mixed|daily]`. 19 versions
 * are offered.
 */
const [organizations = 1, perOrganization = 100] = process.argv.slice(2, 4).map(Number);
const account = { username: 'robot', client_id: 'robot', client_secret: SIM_SECRET };
const FLEETS = { mixed: MIXED_FLEET, daily: { ...MIXED_FLEET, ...DAILY_FLEET } };
const kind = FLEETS[process.argv[4] as keyof typeof FLEETS] ?? {
  organization: halves({ version: '4.18.1', schedule: '0 * * * *' }),
};
const sim = await startSimOcm({
  fleet: upgradeFleet({ organizations, perOrganization, account, ...kind }),
  clock: manualClock(FLEET_START),
});
process.on('disconnect', () => process.exit(0));
process.send?.({ config: configText(sim), secret: SIM_SECRET, start: FLEET_START.toISOString() });
