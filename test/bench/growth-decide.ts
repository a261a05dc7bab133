import { instantOf } from '../../src/gates/index.ts';
import type { OrgId } from '../../src/instance/index.ts';
import { decide } from '../../src/upgrades/engine/decide.ts';
import { type ClusterState, orgFacts } from '../../src/upgrades/engine/facts.ts';
import { EMPTY_LEDGER } from '../../src/upgrades/engine/soak.ts';
import { DEFAULT_RULES, type Version } from '../../src/upgrades/index.ts';
import { orgSpecFromLabels } from '../../src/upgrades/policies/labels.ts';
import type { ClusterId, ClusterUuid } from '../../src/upgrades/policies/org-spec.ts';
import { FLEET_START, upgradePolicy } from './upgrade-fleet.ts';

/** From labels to decisions, without any I/O, each cluster with 20 versions to choose from. Arguments: organizations, clusters of each. */
const [organizations = 1, perOrganization = 100] = process.argv.slice(2).map(Number);
const VERSIONS = Array.from({ length: 20 }, (_, index) => `4.18.${index + 2}`);
const ORGANIZATION = { 'sre-capabilities.aus.sector-deps.prod': 'stage' };
const orgId = 'org' as OrgId;

const clusters = Array.from({ length: perOrganization }, (_, index) => {
  const policy = upgradePolicy({
    ...{ schedule: '0 3 1 1 *', workload: `w${index % 20}`, soakDays: index % 5 },
    sector: index % 2 === 0 ? 'stage' : 'prod',
  });
  const labels = Object.entries(policy).map(([key, value]) => [`sre-capabilities.aus.${key}`, value]);
  const key = { id: `c${index}` as ClusterId, uuid: `u${index}` as ClusterUuid, name: `cluster-${index}` };
  return { ...key, labels: Object.fromEntries(labels) as Record<string, string> };
});
const states = clusters.map(
  ({ labels: _, ...key }): ClusterState => ({
    ...key,
    ...{ version: '4.18.1' as Version, availableUpgrades: VERSIONS, nodePools: [], state: 'ready' },
    ...{ channel: 'stable-4.18', availableChannels: ['stable-4.18'], hosted: false, sts: false },
  }),
);

function decideAll(count: number): void {
  for (let at = 0; at < count; at += 1) {
    const spec = orgSpecFromLabels({ orgId, labels: ORGANIZATION, clusters }, new Map(), { strict: true });
    const around = { ledger: EMPTY_LEDGER, policies: [], gates: [], agreements: new Map(), inherited: [] };
    decide(orgFacts(spec, states, around), instantOf(FLEET_START.getTime()), DEFAULT_RULES);
  }
}

const [LEAST_ROUNDS, LEAST_MS] = [5, 3_000];
decideAll(Math.ceil(5_000 / perOrganization));
const times: number[] = [];
// The best of enough rounds to outlast a slow moment of the machine.
for (let total = 0; times.length < LEAST_ROUNDS || total < LEAST_MS; ) {
  const started = performance.now();
  decideAll(organizations);
  const time = performance.now() - started;
  times.push(time);
  total += time;
}
console.log(JSON.stringify({ milliseconds: Math.min(...times), maxRss: process.resourceUsage().maxRSS * 1024 }));
