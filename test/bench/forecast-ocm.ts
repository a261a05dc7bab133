import { manualClock, parseFleet, startSimOcm } from '../../src/sim/index.ts';
import { configText, SIM_SECRET } from '../support/upgrades-cli.ts';

/**
 * The simulated OCM of a forecast, as a process of its own: `forecast-ocm.ts ORGANIZATIONS CLUSTERS_OF_EACH`. Half of the
 * clusters of an organization are in a sector that the other half depends on; one of each half may be upgraded at a time, and 19 versions
 * are offered.
 */
const [organizations = 1, perOrganization = 100] = process.argv.slice(2).map(Number);
const START = new Date('2026-03-02T06:00:00Z');

const idOf = (index: number): string => `org${String(index).padStart(24, '0')}`;
const half = (name: string, sector: string, soakDays: number) => ({
  ...{ name: `${name}-{nnnn}`, count: perOrganization / 2, version: '4.18.1' },
  aus: { schedule: '0 * * * *', workloads: 'w', 'soak-days': soakDays, sector, mutexes: `mutex-${sector}` },
});
const fleet = parseFleet({
  start: START.toISOString(),
  versions: {
    groups: { stable: '0d' },
    releases: [{ version: '4.18.{n}', from: 1, count: 20, at: 'day -60', every: '2d' }],
  },
  environments: [
    {
      name: 'bench',
      accounts: [{ username: 'robot', client_id: 'robot', client_secret: SIM_SECRET, organization: idOf(0) }],
      organizations: Array.from({ length: organizations }, (_, index) => ({
        id: idOf(index),
        name: `org-${index}`,
        aus: { 'sector-deps.prod': 'stage' },
        clusters: [half(`s-${index}`, 'stage', 0), half(`p-${index}`, 'prod', 3)],
      })),
    },
  ],
});
const sim = await startSimOcm({ fleet, clock: manualClock(START) });
process.on('disconnect', () => process.exit(0));
process.send?.({ config: configText(sim), secret: SIM_SECRET, start: START.toISOString() });
