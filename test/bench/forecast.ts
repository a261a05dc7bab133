import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { upgradesPorts } from '../../src/cli/commands/upgrades/ports.ts';
import { contextOf } from '../../src/cli/context.ts';
import { collectEarly } from '../../src/clients/process/index.ts';
import { openUpgrades } from '../../src/upgrades/index.ts';
import { WEEKLY_RELEASES } from './mixed-organization.ts';

/**
 * A forecast as `echelon upgrades forecast` makes it, through the service; the simulated OCM is another process. The forecast itself
 * begins with the last call to OCM. Arguments: organizations, clusters of each, days, and `mixed` or `daily` for a fleet with
 * releases to come, which is forecast twice: without them and with them.
 */
const [organizations = 1, perOrganization = 100, days = 90] = process.argv.slice(2, 5).map(Number);
const hasReleases = process.argv[5] !== undefined;

interface Served {
  readonly config: string;
  readonly secret: string;
  readonly start: string;
}

collectEarly();
const server = fork(join(import.meta.dirname, 'forecast-ocm.ts'), process.argv.slice(2).toSpliced(2, 1));
const [{ config, secret, start }] = (await once(server, 'message')) as [Served];
const folder = mkdtempSync(join(tmpdir(), 'echelon-forecast-'));
writeFileSync(join(folder, 'upgrades.yml'), config);
const ignore = { isTTY: false, write: () => undefined };
const io = {
  ...{ stdout: ignore, stderr: ignore, cwd: folder, signal: new AbortController().signal },
  env: { OCM_SECRET: secret, HOME: folder },
};
const settings = { configFile: 'upgrades.yml' };
let observed = { at: 0, cpu: process.cpuUsage() };
const service = await openUpgrades(
  settings,
  upgradesPorts(contextOf(io, {}, { now: () => new Date(start) }), settings, {
    readOnly: true,
    onCall: () => {
      observed = { at: performance.now(), cpu: process.cpuUsage() };
    },
  }),
);
const started = performance.now();
const { forecast } = await service.forecast({
  ...{ days, every: 10 },
  ...(hasReleases ? { whatIf: { name: 'releases.yml', content: WEEKLY_RELEASES } } : {}),
});
const ended = performance.now();
const { user, system } = process.cpuUsage(observed.cpu);
const maxRss = process.resourceUsage().maxRSS * 1024;
server.disconnect();
rmSync(folder, { recursive: true });
const upgrades = forecast.clusters.reduce((sum, cluster) => sum + cluster.upgrades.length, 0);
if (forecast.clusters.length !== organizations * perOrganization || upgrades === 0)
  throw new Error('not everything is forecast');
console.log(
  JSON.stringify({
    ...{ milliseconds: ended - observed.at, cpu: (user + system) / 1_000, whole: ended - started, maxRss, upgrades },
  }),
);
