import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apply } from '../src/cli/commands/upgrades/apply.ts';
import { loadYamlDocuments } from '../src/instance/index.ts';
import { startSimKube } from '../src/sim/index.ts';
import { chromiumPath, openChromium, watchedPage } from '../test/support/console-browser.ts';
import { runConsole } from '../test/support/console-run.ts';
import { testHelm } from '../test/support/render-chart.ts';
import { runCli } from '../test/support/run-cli.ts';
import { upgradesCli } from '../test/support/upgrades-cli.ts';

/** Takes the pictures of docs/guide/console.md: the example fleet after some days, and the example instance. */
const REPO = join(import.meta.dirname, '..');
const IMAGES = join(REPO, 'docs', 'images');
const INSTANCE = join(REPO, 'examples', 'instance');
const CLUSTERS = ['app-sre-prod-01', 'app-sre-prod-02', 'app-sre-stage-01', 'edge-lab-01'];
const HOURS = 4 * 24;
const HOUR_MS = 3_600_000;
const PICTURES = [
  { name: 'console.png', path: '/clusters', height: 860 },
  { name: 'console-timeline.png', path: '/timeline?org=ocm-app-sre&sort=-version', height: 760 },
] as const;

const chromium = chromiumPath();
if (chromium === undefined) throw new Error('there is no chromium: name one by CHROMIUM_BIN');
const [fleet] = loadYamlDocuments(readFileSync(join(REPO, 'examples/fleet/fleet.yml'), 'utf8'));
const cli = await upgradesCli(fleet);
const sims = await Promise.all(CLUSTERS.map(() => startSimKube({ anyNamespace: true })));
const kubeconfig = cli.write(
  'kubeconfig',
  JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Config', users: [{ name: 'sim', user: {} }] },
    clusters: CLUSTERS.map((name, index) => ({ name, cluster: { server: sims[index]?.url } })),
    contexts: CLUSTERS.map((name) => ({ name, context: { cluster: name, user: 'sim' } })),
  }),
);
const env = { ...cli.io.env, KUBECONFIG: kubeconfig, HELM_BIN: await testHelm() } as Record<string, string>;
const applied = await runCli(['manager', 'apply', '--data', INSTANCE, '--yes'], { env });
if (applied.code !== 0) throw new Error(applied.stderr);
for (let hour = 1; hour <= HOURS; hour += 1) {
  await apply(cli.io, { configFile: 'upgrades.yml', output: 'table', yes: true }, cli.clock);
  await cli.sim.advanceTo(new Date(cli.clock.now().getTime() + HOUR_MS));
}
// The scheduler has kept what it saw, so that a console that starts now shows it.
const flags = { configFile: 'upgrades.yml', data: INSTANCE, refresh: 3_600, days: 30 };
const run = await runConsole({ env, cwd: cli.folder }, flags, cli.clock);
await run.ready();
const browser = await openChromium(chromium);
for (const { name, path, height } of PICTURES) {
  const { page, context } = await watchedPage(browser, run.url, { viewport: { width: 1280, height } });
  await page.goto(run.url + path);
  const picture = await page.screenshot();
  writeFileSync(join(IMAGES, name), picture);
  console.log(`${name}: ${Math.round(picture.length / 1024)} KiB`);
  await context.close();
}
await browser.close();
await run.stop();
await Promise.all(sims.map((sim) => sim.close()));
await cli.dispose();
