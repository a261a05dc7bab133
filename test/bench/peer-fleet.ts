import type { IncumbentFleet } from '../support/incumbent-fleets.ts';

const NOW = '2026-03-02T10:00:30Z';
const VERSIONS = Array.from({ length: 21 }, (_, at) => `4.18.${at + 1}`);
const WORKLOADS = ['web', 'batch', 'build', 'metrics', 'tests'];
/** Clusters that share a mutex. */
const TOGETHER = 10;

/**
 * One organization in the middle of an ordinary week, in the words of both schedulers: half of its clusters in the first
 * sector, half wait for them and for soak; nothing is upgrading, so every cluster of the second half is asked about every version.
 */
export function peerFleet(clusters: number): IncumbentFleet {
  const [first = '', ...upgrades] = VERSIONS;
  const inStage = (number: number): boolean => number < clusters / 2;
  const all = Array.from({ length: clusters }, (_, number) => ({
    ...{ id: `c${number}-id`, uuid: `c${number}-uuid`, name: `c${number}`, hosted: false, sts: true, healthy: true },
    ...{ agreed: ['gate-4.18'], pools: [], current: null, version: first, upgrades },
    policy: {
      workloads: [WORKLOADS[number % WORKLOADS.length] ?? ''],
      schedule: '0 * * * *',
      soakDays: inStage(number) ? 1 : 3,
      mutexes: [`m${Math.floor(number / TOGETHER)}`],
      sector: inStage(number) ? 'stage' : 'prod',
      blocked: ['^4\\.18\\.1[0-3]$'],
    },
  }));
  return {
    sectors: [
      { name: 'stage', dependencies: [] },
      { name: 'prod', dependencies: ['stage'] },
    ],
    blocked: ['^4\\.17\\.'],
    gates: [{ id: 'gate-4.18', version_raw_id_prefix: '4.18', label: 'api.openshift.com/gate-ocp' }],
    history: {
      check_in: '2026-03-02T09:59:30Z',
      versions: Object.fromEntries(VERSIONS.map((version, at) => [version, soaked(VERSIONS.length - at, all)])),
    },
    sources: [],
    passes: [{ now: NOW, clusters: all }],
  };
}

/** Older versions ran longer, and all clusters have reported the one they run. */
function soaked(days: number, clusters: readonly { readonly name: string }[]) {
  const reporting = days === VERSIONS.length ? clusters.map(({ name }) => name) : [];
  return { workloads: Object.fromEntries(WORKLOADS.map((name) => [name, { soak_days: days / 4, reporting }])) };
}
