import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { sha256Of } from '../../../base/index.ts';
import { isRunning, ownIdentity } from '../../../clients/process/index.ts';
import { jobRunner } from '../../../manager/index.ts';
import { systemClock } from '../../../runtime/index.ts';
import type { ShadowRunner } from '../../../shadow/index.ts';
import type { Io } from '../../io.ts';
import { type ClusterFlags, openClusters } from '../manager/clusters.ts';
import type { PinnedData } from './pinned-data.ts';

/** Runs Jobs in the namespaces of the shards, with the data that their pods read. */
export async function withClusterRunner<T>(
  io: Io,
  flags: ClusterFlags & { readonly logDir: string },
  { instance }: PinnedData,
  request: string,
  use: (runner: ShadowRunner) => Promise<T>,
): Promise<T> {
  const access = [...instance.clusters, ...instance.namespaces.map(({ cluster }) => cluster)];
  const clusters = await openClusters(io, flags, access, { readOnly: false });
  const host = hostname();
  const owner = sha256Of(JSON.stringify(['command', host, io.env['USER'], instance.settings?.repoUrl])).slice(0, 20);
  const runner = jobRunner({
    ...{ connect: clusters.connect, owner, request, process: `${host}/${process.pid}` },
    hasEnded: (text) =>
      text.startsWith(`${host}/`) &&
      isRunning({ ...ownIdentity(), pid: Number(text.slice(host.length + 1)), start: '0' }) === false,
    now: () => systemClock.now().getTime(),
    sleep: (milliseconds, signal) => sleepFor(milliseconds, undefined, { signal }),
  });
  try {
    return await use({
      start: async (run, options) => {
        const ended = await runner.start(run, options);
        const log = join(flags.logDir, `${run.name}.txt`);
        writeFileSync(resolve(io.cwd, log), ended.output, { mode: 0o600 });
        return { ...ended, log };
      },
    });
  } finally {
    clusters.close();
  }
}
