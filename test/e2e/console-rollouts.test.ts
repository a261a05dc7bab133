import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, openChromium, watchedPage } from '../support/console-browser.ts';
import { haltedFleet } from '../support/console-rollouts.ts';
import { type ConsoleRun, consoleOf } from '../support/console-run.ts';
import type { RolloutFleet } from '../support/rollout-fleet.ts';

const chromium = chromiumPath();

describe.skipIf(chromium === undefined)('rollouts in a browser', () => {
  let fleet: RolloutFleet;
  let run: ConsoleRun;
  let browser: Browser;
  beforeAll(async () => {
    fleet = await haltedFleet();
    run = await consoleOf(fleet, { rolloutRecord: fleet.record() });
    browser = await openChromium(chromium ?? '');
  });
  afterAll(async () => {
    await browser?.close();
    await run?.stop();
    await fleet?.dispose();
  });

  it.each([true, false])('a click on a shard shows its verdict, with JavaScript: %s', async (javaScriptEnabled) => {
    const { page, context, complaints } = await watchedPage(browser, run.url, { javaScriptEnabled });
    await page.goto(`${run.url}/rollouts`);
    expect(await page.locator('main [role=alert]').first().innerText()).toContain('lab/lab is halted');
    const [canary, rest] = await page.locator('.wave').all();
    const [left, right] = [await canary?.boundingBox(), await rest?.boundingBox()];
    expect(left?.y).toBe(right?.y);
    expect(left?.x).toBeLessThan(right?.x ?? 0);
    await page.locator('.wave').nth(1).getByText('terraform-resources/beta').click();
    await page.waitForURL('**/rollouts/lab/terraform-resources%2Fbeta');
    expect(await page.locator('.gates tbody tr.wait th').allInnerTexts()).toEqual(['halted', 'wave']);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('waves stand below each other on a phone, and nothing overflows', async () => {
    const { page, context } = await watchedPage(browser, run.url, { viewport: { width: 390, height: 844 } });
    for (const path of ['/rollouts', '/rollouts/lab/terraform-resources%2Fbeta']) {
      await page.goto(run.url + path);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    }
    await context.close();
  });
});
