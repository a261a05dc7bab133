import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, openChromium, watchedPage } from '../support/console-browser.ts';
import { overflowOn, violationsOn } from '../support/console-checks.ts';
import { haltedFleet } from '../support/console-rollouts.ts';
import { type ConsoleRun, consoleOf, type FleetConsole, fleetConsole } from '../support/console-run.ts';
import type { RolloutFleet } from '../support/rollout-fleet.ts';
import { member, upgradeFleet } from '../support/upgrade-world.ts';

const chromium = chromiumPath();
const LONG = 'a-cluster-with-a-name-that-is-longer-than-a-phone-is-wide-and-has-no-place-to-break';
const CLUSTERS = [
  '/',
  '/problems',
  '/clusters',
  '/timeline',
  '/report',
  '/clusters/test/org-1/a-uuid',
  '/help',
  '/nowhere',
];
const SHARDS = [
  '/',
  '/shards',
  '/shards/lab/fleet/NAME',
  '/rollouts',
  '/rollouts/lab/terraform-resources%2Fbeta',
  '/versions',
];

describe.skipIf(chromium === undefined)('every page of the console', () => {
  let fleet: FleetConsole;
  let shards: RolloutFleet;
  let run: ConsoleRun;
  let browser: Browser;
  let addresses: string[];
  beforeAll(async () => {
    const clusters = ['a', 'b', 'c'].map((name, index) =>
      member(
        name,
        { 'soak-days': index === 2 ? 'never' : index, workloads: 'w', sector: 's' },
        index === 0 ? { name: LONG } : {},
      ),
    );
    fleet = await fleetConsole(upgradeFleet([{ id: 'org-1', clusters }]));
    shards = await haltedFleet();
    run = await consoleOf(shards, { rolloutRecord: shards.record(), link: ['Logs=https://logs.example/$name'] });
    const { items } = JSON.parse(await (await fetch(`${run.url}/shards.json`)).text());
    addresses = [
      ...CLUSTERS.map((path) => fleet.url + path),
      ...SHARDS.map((path) => run.url + path.replace('NAME', items[0].name)),
    ];
    browser = await openChromium(chromium ?? '');
  });
  afterAll(async () => {
    await browser?.close();
    await run?.stop();
    await shards?.dispose();
    await fleet?.dispose();
  });

  it.each(['light', 'dark'] as const)('has nothing that axe finds, in the %s theme', async (colorScheme) => {
    const { page, context } = await watchedPage(browser, fleet.url, { colorScheme });
    const found: string[] = [];
    for (const address of addresses) {
      await page.goto(address);
      found.push(...(await violationsOn(page)).map((violation) => `${new URL(address).pathname} ${violation}`));
    }
    expect(found).toEqual([]);
    await context.close();
  });

  it('is looked at by an axe that finds something where there is something', async () => {
    const { page, context } = await watchedPage(browser, fleet.url);
    await page.goto(addresses[0] ?? '');
    await page.evaluate("document.documentElement.removeAttribute('lang')");
    expect(await violationsOn(page)).toEqual([expect.stringMatching(/^html-has-lang: html/)]);
    await context.close();
  });

  it.each([
    { on: 'a phone', width: 390, media: 'screen' },
    { on: 'a sheet of paper', width: 718, media: 'print' },
  ] as const)('fits $on', async ({ width, media }) => {
    const { page, context } = await watchedPage(browser, fleet.url, { viewport: { width, height: 844 } });
    await page.emulateMedia({ media });
    for (const address of addresses) {
      await page.goto(address);
      expect({ address, across: await overflowOn(page) }).toEqual({ address, across: [] });
    }
    await context.close();
  });
});
