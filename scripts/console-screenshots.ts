import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadYamlDocuments } from '../src/instance/index.ts';
import { startSimKube } from '../src/sim/index.ts';
import { chromiumPath, openChromium, watchedPage } from '../test/support/console-browser.ts';
import { runConsole } from '../test/support/console-run.ts';
import { testHelm } from '../test/support/render-chart.ts';
import { runCli } from '../test/support/run-cli.ts';
import { apply } from '../test/support/upgrade-commands.ts';
import { upgradesCli } from '../test/support/upgrades-cli.ts';
import { PICTURES } from './console-pictures.ts';
import { PRODUCTION, TRACKS } from './demo/rollout.ts';
import { exampleHistory } from './example-history.ts';

/** Takes the pictures of the docs from the demo's data: the example fleet after some days, and a rollout in the example instance. */
const REPO = join(import.meta.dirname, '..');
const IMAGES = join(REPO, 'docs', 'images');
const CLUSTERS = ['app-sre-prod-01', 'app-sre-prod-02', 'app-sre-stage-01', 'edge-lab-01'];
const HOURS = 4 * 24;
const HOUR_MS = 3_600_000;
/** Of the manager since the promotion: the canary has soaked, and the next wave moves. */
const PASSES = 3;

const chromium = chromiumPath();
if (chromium === undefined) throw new Error('no chromium: set CHROMIUM_BIN');
const [fleet] = loadYamlDocuments(readFileSync(join(REPO, 'examples/fleet/fleet.yml'), 'utf8'));
const cli = await upgradesCli(fleet);
const now = (): Date => cli.clock.now();
const end = new Date(now().getTime() + HOURS * HOUR_MS);
const history = await exampleHistory(join(cli.folder, 'history'), { now: end });
const sims = await Promise.all(CLUSTERS.map((_, seed) => startSimKube({ anyNamespace: true, clock: now, seed })));
const kubeconfig = cli.write(
  'kubeconfig',
  JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Config', users: [{ name: 'sim', user: {} }] },
    clusters: CLUSTERS.map((name, index) => ({ name, cluster: { server: sims[index]?.url } })),
    contexts: CLUSTERS.map((name) => ({ name, context: { cluster: name, user: 'sim' } })),
  }),
);
const production = history.upstreamCommits.indexOf(history.promoted.production);
const [before = '', promoted = ''] = [production - 6, production].map((at) => history.upstreamCommits[at]?.slice(0, 7));
const env = {
  ...{ ...(cli.io.env as Record<string, string>), KUBECONFIG: kubeconfig, HELM_BIN: await testHelm() },
  ...{ ECHELON_DATA: history.instance, ENVIRONMENT_NAME: PRODUCTION, XDG_CACHE_HOME: join(cli.folder, 'cache') },
  ECHELON_ROLLOUT_RECORD: join(cli.folder, 'rollouts'),
};
const rollouts = cli.write('rollouts.yml', TRACKS);

async function manage(tag: string, args: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await runCli(args, { env: { ...env, IMAGE_TAG: tag }, now });
  if (code !== 0) throw new Error(stdout + stderr);
}

async function hour(): Promise<void> {
  await apply(cli.io, { configFile: 'upgrades.yml', output: 'table', yes: true }, cli.clock);
  await cli.sim.advanceTo(new Date(now().getTime() + HOUR_MS));
}

const LOOP = ['run', 'integrations-manager', '--run-once', '--no-lease', '--poll', '1h', '--metrics-port', '0'];
await manage(before, ['manager', 'apply', '--yes']);
for (let passed = PASSES; passed < HOURS; passed += 1) await hour();
await manage(before, [...LOOP, '--rollouts', rollouts]);
for (let pass = 0; pass < PASSES; pass += 1) {
  await hour();
  await manage(promoted, [...LOOP, '--rollouts', rollouts]);
}
const flags = { configFile: 'upgrades.yml', rollouts, upstreamClone: history.upstream, days: 30 };
const run = await runConsole({ env: { ...env, IMAGE_TAG: promoted }, cwd: cli.folder }, flags, cli.clock);
await run.ready();
const browser = await openChromium(chromium);
for (const { name, path, width, height, ...more } of PICTURES) {
  const { page, context } = await watchedPage(browser, run.url, { viewport: { width, height }, ...more });
  await page.goto(run.url + path);
  if (name === 'console-cluster.png') await page.locator('[data-rows] tbody th a').first().click();
  const picture = await page.screenshot();
  writeFileSync(join(IMAGES, name), picture);
  console.log(`${name}: ${Math.round(picture.length / 1024)} KiB`);
  await context.close();
}
await browser.close();
await run.stop();
await Promise.all(sims.map((sim) => sim.close()));
await cli.dispose();
