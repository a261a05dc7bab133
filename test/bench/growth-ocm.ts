import { manualClock, startSimOcm } from '../../src/sim/index.ts';
import { growthFleet } from './growth-fleet.ts';
import { GROWTH_START } from './growth-policy.ts';

/** The simulated OCM of a growth measurement, as a process of its own: `growth-ocm.ts ORGANIZATIONS CLUSTERS_OF_EACH`. */
const [organizations = 1, perOrganization = 100] = process.argv.slice(2).map(Number);
const fleet = growthFleet(organizations, perOrganization);
const sim = await startSimOcm({ fleet, clock: manualClock(GROWTH_START) });
process.on('disconnect', () => process.exit(0));
process.send?.({ url: sim.url, tokenUrl: sim.tokenUrl, labels: sim.world.state.labels.size });
