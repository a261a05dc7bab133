import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KubeClientOptions, kubeClient, tokenConnection } from '../../src/clients/kube/index.ts';
import type { Manager } from '../../src/manager/index.ts';
import { benchManager, CONCURRENCY, loopPass } from './cluster-parts.ts';
import { clusterNames, generateShards } from './generate-shards.ts';
import { median } from './measure.ts';

/**
 * Passes over converged clusters, which are simulated API servers in another process, by a loop that watches and by one that
 * lists everything: `unchanged-pass.ts SHARDS CLUSTERS`. Prints what each reads and how long it takes.
 */
const [SHARDS = 1_000, CLUSTERS = 50] = process.argv.slice(2).map(Number);
const ROUNDS = 9;
const folder = mkdtempSync(join(tmpdir(), 'echelon-unchanged-'));
const servers = fork(join(import.meta.dirname, 'growth-kubes.ts'), [String(CLUSTERS)]);

const sockets = new Set<Socket>();
const connect = Socket.prototype.connect;
Socket.prototype.connect = function (this: Socket, ...args: Parameters<typeof connect>) {
  sockets.add(this);
  return connect.apply(this, args);
} as typeof connect;
const bytesRead = (): number => [...sockets].reduce((sum, socket) => sum + socket.bytesRead, 0);

interface Measured {
  readonly bytes: number;
  readonly milliseconds: number;
  readonly cpu: number;
}

async function measured(manager: Manager, again: boolean): Promise<Measured> {
  const [bytes, started, cpu] = [bytesRead(), performance.now(), process.cpuUsage()];
  const { code, changed } = await loopPass(manager, undefined, again);
  if (code !== 0 || changed) throw new Error('a pass failed or changed something');
  const { user, system } = process.cpuUsage(cpu);
  return { bytes: bytesRead() - bytes, milliseconds: performance.now() - started, cpu: (user + system) / 1_000 };
}

try {
  generateShards(folder, SHARDS, CLUSTERS);
  const [urls] = (await once(servers, 'message')) as [string[]];
  const open = (options: KubeClientOptions) => {
    const clients = clusterNames(CLUSTERS).map((name, at) => {
      const connection = tokenConnection({ name, server: urls[at] ?? '', token: async () => 't' });
      return [name, kubeClient(connection, { concurrency: CONCURRENCY, ...options })] as const;
    });
    return new Map(clients);
  };
  const [listing, watching] = [open({}), open({ onList: () => undefined })];
  const before = await benchManager(folder, (cluster) => listing.get(cluster)!);
  const now = await benchManager(folder, (cluster) => watching.get(cluster)!);
  await loopPass(before);
  await measured(now, true);
  const pairs: { readonly full: Measured; readonly unchanged: Measured }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    pairs.push({ full: await measured(before, true), unchanged: await measured(now, false) });
  }
  const of = (measure: (pair: (typeof pairs)[number]) => number): number => median(pairs.map(measure));
  console.log(
    JSON.stringify({
      ...{ bytes: of(({ unchanged }) => unchanged.bytes), fullBytes: of(({ full }) => full.bytes) },
      bytesRatio: of(({ full, unchanged }) => unchanged.bytes / full.bytes),
      ...{ milliseconds: of(({ unchanged }) => unchanged.milliseconds), full: of(({ full }) => full.milliseconds) },
      ratio: of(({ full, unchanged }) => unchanged.milliseconds / full.milliseconds),
      ...{ cpu: of(({ unchanged }) => unchanged.cpu), fullCpu: of(({ full }) => full.cpu) },
      maxRss: process.resourceUsage().maxRSS * 1024,
    }),
  );
  for (const client of [...listing.values(), ...watching.values()]) client.close();
} finally {
  servers.disconnect();
  rmSync(folder, { recursive: true, force: true });
}
