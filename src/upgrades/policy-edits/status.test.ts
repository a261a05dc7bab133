import { expect, it } from 'vitest';
import { clusterTable, type OrganizationStatus, sectorTable, statusFacts } from './status.ts';

const STATUS: OrganizationStatus = {
  ...{ orgId: 'o', name: 'first', environment: 'https://ocm.example.com', blockedVersions: ['^4\\.18', '4.19.1'] },
  ...{ freezes: [], inherit: ['other'], publish: [] },
  sectors: [
    { name: 'canary', dependencies: [] },
    { name: 'prod', dependencies: ['canary'], maxParallelUpgrades: '50%' },
  ],
  clusters: [
    {
      ...{
        name: 'c',
        product: 'rosa',
        version: '4.18.1',
        channel: 'stable',
        enabled: false,
        schedule: '-',
        sector: '-',
      },
      ...{ mutexes: ['m', 'n'], soakDays: '-', workloads: [], blockedVersions: [], freezes: [], availableUpgrades: [] },
    },
  ],
};

it('the status of an organization shows what is not set as -', () => {
  expect(Object.fromEntries(statusFacts(STATUS))).toEqual({
    'Organization ID:': 'o',
    'Organization name:': 'first',
    'OCM environment:': 'https://ocm.example.com',
    'Blocked versions:': '^4\\.18, 4.19.1',
    'Freezes:': '-',
    'Inherits from:': 'other',
    'Publishes to:': '-',
  });
  expect(sectorTable(STATUS).rows).toEqual([
    ['canary', '-', '-'],
    ['prod', 'canary', '50%'],
  ]);
});

it('the status of a cluster has a cell for every title', () => {
  const { titles, rows } = clusterTable(STATUS);
  expect(rows.map((row) => row.length)).toEqual([titles.length]);
  expect(rows[0]?.slice(4, 8)).toEqual(['no', '-', '-', 'm, n']);
});
