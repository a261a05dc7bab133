import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, openChromium, watchedPage } from '../support/console-browser.ts';
import { type FleetConsole, fleetConsole } from '../support/console-run.ts';
import { apply } from '../support/upgrade-commands.ts';
import { member, upgradeFleet } from '../support/upgrade-world.ts';

const chromium = chromiumPath();
const HOUR_MS = 3_600_000;

describe.skipIf(chromium === undefined)('an open page', () => {
  let fleet: FleetConsole;
  let browser: Browser;
  beforeAll(async () => {
    const clusters = Array.from({ length: 60 }, (_, index) => member(`c-${index}`, { 'soak-days': 0 }));
    fleet = await fleetConsole(upgradeFleet([{ id: 'org-1', clusters }]), { refresh: 1 });
    browser = await openChromium(chromium ?? '');
  });
  afterAll(async () => {
    await browser?.close();
    await fleet?.dispose();
  });

  it('follows the fleet by itself, and leaves the user what they do', async () => {
    const { page, context, complaints } = await watchedPage(browser, fleet.url, {
      viewport: { width: 900, height: 500 },
    });
    await page.goto(`${fleet.url}/clusters?sort=cluster`);
    await page.locator('input[name=q]').fill('c-');
    await page.locator('input[name=q]').press('End');
    await page.evaluate('scrollTo(0, 700)');
    await page.evaluate("window.stays = 'the same document'");
    await apply(fleet.cli.io, { configFile: 'upgrades.yml', output: 'table', yes: true }, fleet.cli.clock);
    await fleet.cli.sim.advanceTo(new Date(fleet.cli.clock.now().getTime() + 5 * HOUR_MS));
    await page.locator('[data-rows] tbody td', { hasText: '4.18.3' }).first().waitFor();
    expect(
      await page.evaluate('[window.stays, scrollY, document.activeElement.name, document.activeElement.value]'),
    ).toEqual(['the same document', 700, 'q', 'c-']);
    await page.keyboard.type('59');
    await page.locator('.count', { hasText: /^1 of 60 clusters/ }).waitFor();
    expect(await page.locator('[data-rows] tbody tr').count()).toBe(1);
    expect(new URL(page.url()).search).toBe('?q=c-59&sort=cluster');
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('keeps the focus on a row, and the details that are open', async () => {
    const { page, context } = await watchedPage(browser, fleet.url);
    const version = () => page.evaluate('document.body.dataset.version');
    await page.goto(`${fleet.url}/clusters?sort=cluster`);
    for (const key of ['j', 'j', 'j']) await page.keyboard.press(key);
    const [name, before] = [await page.evaluate('document.activeElement.textContent'), await version()];
    await page.locator(`body:not([data-version="${before}"])`).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe(name);
    await page.goto(`${fleet.url}/timeline`);
    await page.locator('details summary').first().click();
    const then = await version();
    await page.locator(`body:not([data-version="${then}"])`).waitFor();
    expect(await page.locator('details').first().getAttribute('open')).toBe('');
    await context.close();
  });

  it('reloads where there is no JavaScript', async () => {
    const { page, context } = await watchedPage(browser, fleet.url, { javaScriptEnabled: false });
    await page.goto(`${fleet.url}/clusters`);
    const again = page.waitForResponse((response) => response.url() === `${fleet.url}/clusters`);
    expect((await again).status()).toBe(200);
    await context.close();
  });
});
