import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ocmUpgradeApi } from '../../src/cli/commands/upgrades/ports.ts';
import { createOcmClient, type OcmCall } from '../../src/clients/ocm/index.ts';
import { createFileStore } from '../../src/clients/state/file-store.ts';
import type { OrgId } from '../../src/instance/index.ts';
import { createMetrics } from '../../src/runtime/index.ts';
import { createScheduler, DEFAULT_RULES, type Site } from '../../src/upgrades/index.ts';
import { upgradeMetrics } from '../../src/upgrades/metrics/scheduler-metrics.ts';
import { upgradePass } from '../../src/upgrades/service/passes.ts';
import { FLEET_START } from './upgrade-fleet.ts';

/**
 * Three passes of the scheduler over a fleet, with its metrics; the simulated OCM is another process. The last one measures
 * what is held while organizations take their turn. Arguments: organizations, clusters of each.
 */
const [organizations = 1, perOrganization = 100] = process.argv.slice(2).map(Number);
const clusters = organizations * perOrganization;

interface Served {
  readonly url: string;
  readonly tokenUrl: string;
  readonly labels: number;
}

// Flags of Node, such as a limit of the heap, are for the passes alone.
const server = fork(join(import.meta.dirname, 'growth-ocm.ts'), process.argv.slice(2), { execArgv: [] });
const [{ url, tokenUrl, labels }] = (await once(server, 'message')) as [Served];
const folder = mkdtempSync(join(tmpdir(), 'echelon-growth-'));
const PER_CLUSTER = new Set(['upgrade_policies', 'token']);
const calls = { all: 0, lists: 0 };
const api = ocmUpgradeApi(
  createOcmClient({
    env: {},
    ...{ url, tokenUrl },
    credentials: { kind: 'client-credentials', clientId: 'echelon', clientSecret: 'simulated' },
    onCall: ({ collection }: OcmCall) => {
      calls.all += 1;
      if (!PER_CLUSTER.has(collection)) calls.lists += 1;
    },
  }),
);
const site: Site = {
  name: 'bench',
  connect: async () => api,
  serves: (orgId) => ({ orgId: orgId as OrgId, healthChecks: [] }),
  health: new Map(),
};
const scheduler = createScheduler({
  ...{ integration: 'bench', rules: DEFAULT_RULES, clock: { now: () => FLEET_START } },
  store: createFileStore({ folder }),
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const held = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

let ended = 0;
let decided: (() => void) | undefined;
const ignore = (): void => undefined;
const loop = upgradePass({
  service: {
    pass: async (signal, write, keep) => ({
      notes: [],
      ...(await scheduler.pass({ sites: [site], signal }, write, (report) => {
        ended += 1;
        decided?.();
        return keep(report);
      })),
    }),
  },
  ...{ dryRun: false, policies: 'labels', logger: { info: ignore, warn: ignore, error: ignore } },
  metrics: upgradeMetrics(
    await createMetrics({ integration: 'bench', shards: 1, shardId: 0, processMetrics: false }),
    'bench',
  ),
});

async function pass() {
  ended = 0;
  calls.all = 0;
  calls.lists = 0;
  const started = performance.now();
  const { code } = await loop({ signal: new AbortController().signal }, () => true);
  if (code !== 0 || ended !== organizations) throw new Error(`${ended} organizations, exit code ${code}`);
  return performance.now() - started;
}

const first = await pass();
const second = await pass();
const { lists, all } = calls;
const maxRss = process.resourceUsage().maxRSS * 1024;
const samples = new Set(Array.from({ length: 10 }, (_, tenth) => Math.ceil((organizations * (tenth + 1)) / 10)));
let heap = held();
decided = () => {
  if (samples.has(ended)) heap = Math.max(heap, held());
};
await pass();
server.disconnect();
rmSync(folder, { recursive: true });
const allowed = Math.ceil(labels / 100) + 2 * Math.ceil(clusters / 100) + 3;
console.log(
  JSON.stringify({ milliseconds: second, maxRss, first, second, heap, lists, perCluster: all - lists, allowed }),
);
