import type { OrganizationOf } from './upgrade-fleet.ts';

/** Regions of an organization: one upgrade at a time in each, whatever the sector. */
const REGIONS = 5;
/** Windows that open every day: for an hour, for several, or all day long on some days of the week. */
const WINDOWS = [
  (hour: number) => `${hour * 2} ${hour} * * *`,
  (hour: number) => `30 ${hour}-${Math.min(hour + 8, 23)} * * *`,
  (hour: number) => `0 * * * ${hour % 5}-${(hour % 5) + 2}`,
];
const SECTORS = [
  { sector: 'canary', soakDays: 0 },
  { sector: 'stage', soakDays: 1 },
  { sector: 'prod', soakDays: 3 },
  { sector: 'prod', soakDays: 7 },
];

/**
 * An organization that upgrades every day: long windows, mutexes of regions that reach across its sectors, half of the clusters hosted
 * control planes with two node pools. All organizations use the history of the first.
 */
const dailyOrganization: OrganizationOf = (index, perOrganization, ids) => ({
  aus: {
    ...{ 'sector-deps.stage': 'canary', 'sector-deps.prod': 'stage', 'blocked-versions': '^4\\.18\\.(7|23)$' },
    ...(index === 0 ? { 'version-data.publish': ids.slice(1).join(',') } : { 'version-data.inherit': ids[0] }),
  },
  clusters: Array.from({ length: perOrganization }, (_, nth) => {
    const { sector, soakDays } = SECTORS[nth % SECTORS.length] ?? { sector: '', soakDays: 0 };
    const schedule = WINDOWS[nth % WINDOWS.length]?.((nth * 7) % 24);
    return {
      ...{ name: `c-${index}-${nth}`, version: '4.18.1', channel: nth % 10 === 0 ? 'stable-4.19' : 'stable-4.18' },
      ...(nth % 4 < 2 ? {} : { hosted: true, node_pools: [{ name: 'workers' }, { name: 'infra' }] }),
      aus: { sector, 'soak-days': soakDays, workloads: 'w', mutexes: `region-${nth % REGIONS}`, schedule },
    };
  }),
});

export const DAILY_FLEET = { organization: dailyOrganization };
