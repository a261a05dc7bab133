import { FLEET_START, type OrganizationOf } from './upgrade-fleet.ts';

const WEEK = 7 * 24 * 3_600_000;

/** A version is released in each of the next twelve weeks, as a what-if. */
export const WEEKLY_RELEASES = [
  'releases:',
  ...Array.from({ length: 12 }, (_, week) => {
    const at = new Date(FLEET_START.getTime() + (week + 1) * WEEK);
    return `- { version: 4.18.${21 + week}, at: ${at.toISOString()} }`;
  }),
].join('\n');

/** So many different windows, each once a week. */
const WINDOWS = 40;
const SECTORS = [
  { sector: 'stage', soakDays: 0 },
  { sector: 'prod', soakDays: 3 },
];

/**
 * An organization with everything that makes decisions depend on each other: each cluster has a window once a week, half of them
 * are in a sector that the other half depends on, one upgrade at a time in each half, half are hosted control planes with two node pools,
 * some versions are blocked, a tenth is offered the next minor too. Every second organization uses the history of the one before.
 */
const mixedOrganization: OrganizationOf = (index, perOrganization, ids) => {
  const [before, after] = [ids[index - 1], ids[index + 1]];
  return {
    aus: {
      ...{ 'sector-deps.prod': 'stage', 'blocked-versions': '^4\\.18\\.(7|23)$' },
      ...(index % 2 === 1 ? { 'version-data.inherit': before } : {}),
      ...(index % 2 === 0 && after !== undefined ? { 'version-data.publish': after } : {}),
    },
    clusters: Array.from({ length: perOrganization }, (_, nth) => {
      const { sector, soakDays } = SECTORS[nth % SECTORS.length] ?? { sector: '', soakDays: 0 };
      const window = nth % WINDOWS;
      return {
        ...{ name: `c-${index}-${nth}`, version: '4.18.1', channel: nth % 10 === 0 ? 'stable-4.19' : 'stable-4.18' },
        ...(nth % 4 < 2 ? {} : { hosted: true, node_pools: [{ name: 'workers' }, { name: 'infra' }] }),
        aus: {
          ...{ sector, 'soak-days': soakDays, workloads: 'w', mutexes: `mutex-${sector}` },
          schedule: `${window} ${window % 24} * * ${window % 7}`,
        },
      };
    }),
  };
};

/** Mixed organizations, and a next minor with a gate that no user agreed to. */
export const MIXED_FLEET = {
  organization: mixedOrganization,
  releases: [{ version: '4.19.{n}', from: 0, count: 3, at: 'day -20', every: '7d' }],
  gates: [{ version: '4.19', label: 'api.openshift.com/gate-ocp' }],
};
