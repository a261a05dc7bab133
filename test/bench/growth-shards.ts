import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubeClient, tokenConnection } from '../../src/clients/kube/index.ts';
import { changesOf } from '../../src/manager/plan/fleet-plan.ts';
import { benchManager, CONCURRENCY, loopPass } from './cluster-parts.ts';
import { clusterNames, generateShards } from './generate-shards.ts';

/**
 * So many shards on so many clusters, which are simulated API servers in another process: `growth-shards.ts SHARDS CLUSTERS`.
 * Prints the best times of rendering, of the plan of a first install and of a converged pass, and the peak of memory.
 */
const [SHARDS = 100, CLUSTERS = 1] = process.argv.slice(2).map(Number);
const ROUNDS = 5;
const folder = mkdtempSync(join(tmpdir(), 'echelon-growth-'));

async function timed(act: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await act();
  return performance.now() - started;
}

const servers = fork(join(import.meta.dirname, 'growth-kubes.ts'), [String(CLUSTERS)]);
try {
  generateShards(folder, SHARDS, CLUSTERS);
  const [urls] = (await once(servers, 'message')) as [string[]];
  const clients = new Map(
    clusterNames(CLUSTERS).map((name, at) => [
      name,
      kubeClient(tokenConnection({ name, server: urls[at] ?? '', token: async () => 't' }), {
        concurrency: CONCURRENCY,
      }),
    ]),
  );
  const manager = await benchManager(folder, (cluster) => clients.get(cluster)!);
  const render = await timed(async () => {
    const { rendered } = await manager.desired();
    const objects = rendered.namespaces.reduce((sum, namespace) => sum + namespace.objects.length, 0);
    if (objects < SHARDS || rendered.failures.length > 0) throw new Error(`${objects} objects rendered`);
  });
  const plans: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    plans.push(
      await timed(async () => {
        const changes = changesOf((await manager.plan()).plan).length;
        if (changes < SHARDS) throw new Error(`${changes} changes of a fleet that is not installed`);
      }),
    );
  }
  const install = await timed(() => loopPass(manager));
  const passes: number[] = [];
  const cpus: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    passes.push(
      await timed(async () => {
        const { code } = await loopPass(manager);
        if (code !== 0) throw new Error('a pass failed');
      }),
    );
    const { user, system } = process.cpuUsage(before);
    cpus.push((user + system) / 1_000);
  }
  const changes = changesOf((await manager.plan()).plan).length;
  if (changes > 0) throw new Error(`${changes} changes of a converged fleet`);
  for (const client of clients.values()) client.close();
  console.log(
    JSON.stringify({
      ...{ render, plan: Math.min(...plans), install, pass: Math.min(...passes), cpu: Math.min(...cpus) },
      milliseconds: render,
      rss: process.memoryUsage.rss(),
      maxRss: process.resourceUsage().maxRSS * 1024,
    }),
  );
} finally {
  servers.disconnect();
  rmSync(folder, { recursive: true, force: true });
}
