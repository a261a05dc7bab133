import { memoryStateStore } from '../../src/base/index.ts';
import { ocmUpgradeApi } from '../../src/cli/commands/upgrades/ports.ts';
import { createOcmClient } from '../../src/clients/ocm/index.ts';
import { instantOf } from '../../src/gates/index.ts';
import type { OrgId } from '../../src/instance/index.ts';
import { manualClock, startSimOcm } from '../../src/sim/index.ts';
import { decide } from '../../src/upgrades/engine/decide.ts';
import { type ClusterState, orgFacts } from '../../src/upgrades/engine/facts.ts';
import { EMPTY_LEDGER } from '../../src/upgrades/engine/soak.ts';
import { createScheduler, DEFAULT_RULES, type Site, type Version } from '../../src/upgrades/index.ts';
import { orgSpecFromLabels } from '../../src/upgrades/policies/labels.ts';
import type { ClusterId, ClusterUuid } from '../../src/upgrades/policies/org-spec.ts';
import { median } from './measure.ts';
import { FLEET_START, halves, upgradeFleet, upgradePolicy } from './upgrade-fleet.ts';

/** Passes over a large fleet through the real client and the simulated OCM, and the engine by itself. Prints JSON. */
const ORGANIZATIONS = 50;
const PER_ORGANIZATION = 100;
const ROUNDS = 5;
const SCHEDULE = '0 * * * *';

async function benchPasses() {
  const clock = manualClock(FLEET_START);
  const fleet = upgradeFleet({
    ...{ organizations: ORGANIZATIONS, perOrganization: PER_ORGANIZATION },
    organization: halves({ version: '4.18.20', schedule: SCHEDULE }),
  });
  const sim = await startSimOcm({ fleet, clock });
  const [environment] = [...sim.environments.values()];
  if (environment === undefined) throw new Error('no environment');
  const client = createOcmClient({
    env: {},
    url: environment.url,
    tokenUrl: environment.tokenUrl,
    credentials: { kind: 'client-credentials', clientId: 'echelon', clientSecret: 'simulated' },
  });
  const api = ocmUpgradeApi(client);
  const site: Site = {
    name: environment.name,
    connect: async () => api,
    serves: (orgId) => ({ orgId: orgId as OrgId, healthChecks: [] }),
    health: new Map(),
  };
  const scheduler = createScheduler({ integration: 'bench', store: memoryStateStore(), rules: DEFAULT_RULES, clock });
  const first = await timed(() => scheduler.pass({ sites: [site] }));
  sim.clearRequests();
  const second = await timed(() => scheduler.pass({ sites: [site] }));
  const requests = sim.requests.filter(({ path }) => !path.includes('/protocol/'));
  const labels = sim.world.state.labels.size;
  const clusters = ORGANIZATIONS * PER_ORGANIZATION;
  const perCluster = requests.filter(({ path }) => /clusters\/[^/]+\//.test(path)).length;
  await sim.close();
  return {
    first,
    second,
    calls: requests.length - perCluster,
    perCluster,
    allowed: Math.ceil(labels / 100) + Math.ceil(clusters / 100) + Math.ceil(clusters / 100) + 3,
    clusters,
  };
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await act();
  return performance.now() - started;
}

const VERSIONS = Array.from({ length: 20 }, (_, index) => `4.18.${index + 2}`);
const CLUSTERS = Array.from({ length: 1_000 }, (_, index) => ({
  id: `c${index}` as ClusterId,
  uuid: `u${index}` as ClusterUuid,
  name: `cluster-${index}`,
}));

/** 1,000 clusters that may choose among 20 versions, with more labels on each or other ones on their organization. */
function benchEngine(
  organization: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
): number {
  const labelled = CLUSTERS.map((cluster, index) => {
    const policy = { schedule: SCHEDULE, workload: `w${index % 20}`, soakDays: index % 5, sector: 'x' };
    const { sector: _, ...own } = upgradePolicy(policy);
    const labels = Object.entries(own).map(([key, value]) => [`sre-capabilities.aus.${key}`, value]);
    return { ...cluster, labels: { ...Object.fromEntries(labels), ...more } };
  });
  const states = CLUSTERS.map(
    (cluster): ClusterState => ({
      ...cluster,
      version: '4.18.1' as Version,
      availableUpgrades: VERSIONS,
      channel: 'stable-4.18',
      availableChannels: ['stable-4.18'],
      hosted: false,
      sts: false,
      nodePools: [],
      state: 'ready',
    }),
  );
  const times = Array.from({ length: ROUNDS }, () => {
    const started = performance.now();
    const orgId = 'org' as OrgId;
    const spec = orgSpecFromLabels({ orgId, labels: organization, clusters: labelled }, new Map(), { strict: true });
    const around = { ledger: EMPTY_LEDGER, policies: [], gates: [], agreements: new Map(), inherited: [] };
    decide(orgFacts(spec, states, around), instantOf(FLEET_START.getTime()), DEFAULT_RULES);
    return performance.now() - started;
  });
  return median(times);
}

const passes = await benchPasses();
const maxRss = process.resourceUsage().maxRSS * 1024;
const engine = benchEngine({});
const evil = benchEngine({ 'sre-capabilities.aus.blocked-versions': `(a+)+$,(4+)+${'.'.repeat(30)}$,^(([0-9.])+)+$x` });
const many = Object.fromEntries(
  Array.from({ length: 10 }, (_, index) => [`sre-capabilities.aus.unknown-${index}`, 'x']),
);
const crowded = benchEngine({}, many);
console.log(JSON.stringify({ milliseconds: passes.second, maxRss, ...passes, engine, evil, crowded }));
