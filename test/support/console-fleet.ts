import { member, upgradeFleet } from './upgrade-world.ts';

const ORGANIZATIONS = 10;
const SECTORS = ['canary', 'stage', 'prod'];
const WORKLOADS = ['web', 'ledger', 'search', 'batch', 'mail'];

/** A name that would run if it were ever taken for markup. */
export const HOSTILE = `<script>window.hacked=1</script>"'><img src=x onerror=window.hacked=1>`;

/** Many clusters of ten organizations, on different versions, in sectors that wait for each other; one has a hostile name. */
export function manyClusters(count: number): unknown {
  const each = count / ORGANIZATIONS;
  return upgradeFleet(
    Array.from({ length: ORGANIZATIONS }, (_, org) => ({
      id: `org-${org}`,
      aus: { 'sector-deps.stage': 'canary', 'sector-deps.prod': 'stage', 'sector-max-parallel-upgrades.prod': '5' },
      clusters: Array.from({ length: each }, (_, index) => clusterOf(org, index, each)),
    })),
  );
}

function clusterOf(org: number, index: number, each: number) {
  const labels = {
    'soak-days': index % 7,
    schedule: `0 ${index % 24} * * 1-5`,
    workloads: WORKLOADS[index % WORKLOADS.length] ?? '',
    sector: SECTORS[Math.min(SECTORS.length - 1, Math.floor((index / each) * 5))] ?? '',
    mutexes: `m-${index % 8}`,
  };
  const hostile = org === 3 && index === 7 ? { name: HOSTILE } : {};
  return member(`c-${org}-${String(index).padStart(3, '0')}`, labels, {
    version: `4.18.${1 + (index % 3)}`,
    ...hostile,
  });
}
