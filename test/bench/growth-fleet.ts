import { type FleetFile, parseFleet } from '../../src/sim/index.ts';
import { GROWTH_START, growthPolicy } from './growth-policy.ts';

/** Organizations of equal size, half of each in a sector that the other half depends on; each waits for its window with ten versions to choose from. */
export function growthFleet(organizations: number, perOrganization: number): FleetFile {
  return parseFleet({
    start: GROWTH_START.toISOString(),
    versions: {
      groups: { stable: '0d' },
      releases: [{ version: '4.18.{n}', from: 1, count: 20, at: 'day -60', every: '2d' }],
    },
    environments: [
      {
        name: 'bench',
        organizations: Array.from({ length: organizations }, (_, index) => ({
          id: `org${String(index).padStart(24, '0')}`,
          name: `org-${index}`,
          aus: { 'sector-deps.prod': 'stage' },
          clusters: [
            {
              ...{ name: `s-${index}-{nnnn}`, count: perOrganization / 2, version: '4.18.10' },
              aus: growthPolicy('w', 0, 'stage'),
            },
            {
              ...{ name: `p-${index}-{nnnn}`, count: perOrganization / 2, version: '4.18.10' },
              aus: growthPolicy('w', 3, 'prod'),
            },
          ],
        })),
      },
    ],
  });
}
