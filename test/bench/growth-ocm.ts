import { manualClock, startSimOcm } from '../../src/sim/index.ts';
import { FLEET_START, halves, upgradeFleet } from './upgrade-fleet.ts';

/**
 * The simulated OCM of a growth measurement, as a process of its own: `growth-ocm.ts ORGANIZATIONS CLUSTERS_OF_EACH`. Each cluster
 * waits for its window with ten versions to choose from.
 */
const [organizations = 1, perOrganization = 100] = process.argv.slice(2).map(Number);
const organization = halves({ version: '4.18.10', schedule: '0 3 1 1 *' });
const fleet = upgradeFleet({ organizations, perOrganization, organization });
const sim = await startSimOcm({ fleet, clock: manualClock(FLEET_START) });
process.on('disconnect', () => process.exit(0));
process.send?.({ url: sim.url, tokenUrl: sim.tokenUrl, labels: sim.world.state.labels.size });
