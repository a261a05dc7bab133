import { type FleetFile, parseFleet } from '../../src/sim/index.ts';

/** When the fleets begin; their clocks stand still unless a benchmark moves them. */
export const FLEET_START = new Date('2026-03-02T06:00:00Z');

/** An account of the simulated OCM, in the first organization. */
interface Account {
  readonly username: string;
  readonly client_id: string;
  readonly client_secret: string;
}

/** Labels under their short names, and clusters, as in a fleet file. `ids` are those of all organizations. */
export type OrganizationOf = (
  index: number,
  perOrganization: number,
  ids: readonly string[],
) => { readonly aus: object; readonly clusters: readonly object[] };

interface UpgradeFleet {
  readonly organizations: number;
  readonly perOrganization: number;
  readonly organization: OrganizationOf;
  readonly account?: Account;
  /** Besides 4.18.1 to 4.18.20. */
  readonly releases?: readonly object[];
  readonly gates?: readonly object[];
}

/** Organizations of equal size. */
export function upgradeFleet(options: UpgradeFleet): FleetFile {
  const { organizations, perOrganization, organization, account, releases = [], gates = [] } = options;
  const ids = Array.from({ length: organizations }, (_, index) => `org${String(index).padStart(24, '0')}`);
  return parseFleet({
    start: FLEET_START.toISOString(),
    versions: {
      groups: { stable: '0d' },
      releases: [{ version: '4.18.{n}', from: 1, count: 20, at: 'day -60', every: '2d' }, ...releases],
    },
    gates,
    environments: [
      {
        name: 'bench',
        accounts: account === undefined ? [] : [{ ...account, organization: ids[0] }],
        organizations: ids.map((id, index) => ({
          ...{ id, name: `org-${index}` },
          ...organization(index, perOrganization, ids),
        })),
      },
    ],
  });
}

/** Half of the clusters in a sector that the other half depends on, one upgrade at a time in each half. */
export function halves({ version, schedule }: { readonly version: string; readonly schedule: string }): OrganizationOf {
  return (index, perOrganization) => {
    const half = (name: string, sector: string, soakDays: number) => ({
      ...{ name: `${name}-${index}-{nnnn}`, count: perOrganization / 2, version },
      aus: upgradePolicy({ schedule, workload: 'w', soakDays, sector }),
    });
    return { aus: { 'sector-deps.prod': 'stage' }, clusters: [half('s', 'stage', 0), half('p', 'prod', 3)] };
  };
}

interface Policy {
  readonly schedule: string;
  readonly workload: string;
  readonly soakDays: number;
  readonly sector: string;
}

/** A policy as labels under their short names. */
export function upgradePolicy({ schedule, workload, soakDays, sector }: Policy): Record<string, string> {
  return { schedule, workloads: workload, 'soak-days': String(soakDays), sector, mutexes: `mutex-${sector}` };
}
