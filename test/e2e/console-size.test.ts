import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, openChromium, watchedPage } from '../support/console-browser.ts';
import { overflowOn, violationsOn } from '../support/console-checks.ts';
import { type MadeConsole, madeConsole } from '../support/made-console.ts';
import { drawFrom, madeShards, madeUpgrades } from '../support/made-fleet.ts';
import { until } from '../support/until.ts';

const chromium = chromiumPath();
const CLUSTERS = 5_000;
const SHARDS = 2_000;
const draw = drawFrom(19);
const UPGRADES = madeUpgrades(CLUSTERS, draw);
const shards = madeShards(SHARDS, draw);

describe.skipIf(chromium === undefined)('5,000 clusters and 2,000 shards in a browser', () => {
  let run: MadeConsole;
  let browser: Browser;
  beforeAll(async () => {
    run = await madeConsole(UPGRADES, shards);
    browser = await openChromium(chromium ?? '');
  });
  afterAll(async () => {
    await browser?.close();
    await run?.stop();
  });

  const names = (page: Page): Promise<string[]> => page.locator('[data-rows] tbody th a').allInnerTexts();
  const counted = (page: Page, found: number): Promise<void> =>
    page.locator('.count', { hasText: new RegExp(`^${found} of 5000 clusters`) }).waitFor();
  const focused = (page: Page): Promise<unknown> => page.evaluate('document.activeElement.textContent');
  const version = (page: Page): Promise<unknown> => page.evaluate('document.body.dataset.version');
  /** Until the page shows another observation than the one named. */
  const after = (page: Page, before: unknown): Promise<void> =>
    page.locator(`body:not([data-version="${before}"])`).waitFor({ state: 'attached' });

  it('search and order are over all rows, not only over those of the page', async () => {
    const { page, context, complaints } = await watchedPage(browser, run.url);
    await page.goto(`${run.url}/clusters`);
    expect(await names(page)).toHaveLength(100);
    await page.locator('input[name=q]').pressSequentially('c-0499');
    await counted(page, 10);
    expect(await names(page)).toEqual(Array.from({ length: 10 }, (_, index) => `c-0499${index}`));
    await page.locator('input[name=q]').fill('');
    await counted(page, CLUSTERS);
    const head = page.locator('th[aria-sort]', { hasText: 'Cluster' });
    expect(await head.getAttribute('aria-sort')).toBe('none');
    const cursor = "getComputedStyle(document.querySelector('th[aria-sort] a')).cursor";
    expect(await page.evaluate(cursor)).toBe('pointer');
    await head.locator('a').click();
    await page.locator('th[aria-sort=ascending]').waitFor();
    await head.locator('a').click();
    await page.locator('th[aria-sort=descending]').waitFor();
    expect((await names(page)).slice(-2)).toEqual(['c-04902', 'c-04901']);
    await page.locator('.pager a[rel=last]').first().click();
    await page.waitForURL('**/clusters?sort=-cluster&page=50');
    await page.locator('.pager', { hasText: '4901 to 5000 of 5000, page 50 of 50' }).first().waitFor();
    expect((await names(page)).at(-1)).toBe('c-00000');
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('a refresh in which nothing changed sends no page, counts on the ages, and disturbs nothing', async () => {
    const { page, context, complaints } = await watchedPage(browser, run.url, {
      viewport: { width: 1_000, height: 600 },
    });
    await page.goto(`${run.url}/clusters?sort=next&q=soak`);
    await page.locator('[data-rows] tbody tr:nth-child(60) a').focus();
    await page.evaluate("scrollTo(0, 1500); document.querySelector('[data-rows]').stays = true");
    const [name, before] = [await focused(page), await version(page)];
    const [age, answered] = [await page.locator('time[data-age]').first().getAttribute('data-age'), run.answers.length];
    run.observe({}, 50 * 60);
    await after(page, before);
    await page.locator('.asof', { hasText: '(now)' }).waitFor();
    const sent = run.answers.slice(answered).filter(({ target }) => target.startsWith('/clusters'));
    expect(sent.length).toBeGreaterThan(0);
    expect(Math.max(...sent.map(({ bytes }) => bytes))).toBeLessThan(1_000);
    expect(await page.locator('time[data-age]').first().getAttribute('data-age')).not.toBe(age);
    expect(
      await page.evaluate("[document.querySelector('[data-rows]').stays, scrollY, document.activeElement.textContent]"),
    ).toEqual([true, 1_500, name]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('a refresh in which a row of the page changed shows it, and keeps focus, filter and scroll', async () => {
    const { page, context } = await watchedPage(browser, run.url, { viewport: { width: 1_000, height: 600 } });
    await page.goto(`${run.url}/clusters?sort=cluster&page=30`);
    await page.locator('[data-rows] tbody tr:nth-child(60) a').focus();
    await page.evaluate('scrollTo(0, 1500)');
    const name = await focused(page);
    const clusters = UPGRADES.clusters.map((one, at) => (at === 2_950 ? { ...one, reason: 'it is new' } : one));
    run.observe({ upgrades: { ...UPGRADES, clusters } }, 60);
    await page.locator('td.why', { hasText: 'it is new' }).waitFor({ state: 'attached' });
    expect(await page.evaluate('[scrollY, document.activeElement.textContent, location.search]')).toEqual([
      ...[1_500, name, '?sort=cluster&page=30'],
    ]);
    const [before, field] = [await version(page), page.locator('input[name=q]')];
    await field.fill('c-02950');
    await counted(page, 1);
    run.observe({ upgrades: UPGRADES }, 60);
    await after(page, before);
    await page.locator('td.why', { hasText: 'soaked' }).waitFor();
    expect(await page.evaluate('[document.activeElement.name, document.activeElement.value]')).toEqual([
      'q',
      'c-02950',
    ]);
    await context.close();
  });

  it('keys alone reach the filter, sort a column, open a row, and come back to the same place', async () => {
    const { page, context, complaints } = await watchedPage(browser, run.url, {
      viewport: { width: 1_000, height: 600 },
    });
    await page.goto(`${run.url}/clusters`);
    await page.keyboard.press('/');
    await page.keyboard.type('prod');
    const found = UPGRADES.clusters.filter(({ policy }) => policy.sector === 'prod').length;
    await counted(page, found);
    await page.keyboard.press('Enter');
    while ((await focused(page)) !== 'Version↕') await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('th[aria-sort=ascending]', { hasText: 'Version' }).waitFor();
    expect(await focused(page)).toBe('Version↑');
    await page.keyboard.press('n');
    await page.locator('.pager', { hasText: '101 to 200' }).first().waitFor();
    for (let row = 0; row < 40; row += 1) await page.keyboard.press('j');
    const [name, y] = [await focused(page), await page.evaluate('scrollY')];
    expect(y).toBeGreaterThan(500);
    await page.keyboard.press('Enter');
    await page.locator('h1', { hasText: String(name) }).waitFor();
    await page.goBack();
    await page.waitForURL('**/clusters?q=prod&sort=version&page=2');
    await until(async () => (await focused(page)) === name, { what: 'the row has the focus again' });
    expect(await page.evaluate('scrollY')).toBe(y);
    await page.keyboard.press('j');
    expect(await focused(page)).toBe((await names(page))[40]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('a page of a list that is turned begins at its top, and going back comes to the one before', async () => {
    const { page, context } = await watchedPage(browser, run.url, { viewport: { width: 1_000, height: 600 } });
    await page.goto(`${run.url}/shards?sort=shard`);
    await page.locator('.pager a[rel=next]').last().click();
    await page.locator('.pager', { hasText: '101 to 200 of 2000' }).first().waitFor();
    expect(await page.locator('.pager').first().boundingBox()).toMatchObject({ y: expect.closeTo(72, -2) });
    await page.goBack();
    await page.locator('.pager', { hasText: '1 to 100 of 2000' }).first().waitFor();
    await context.close();
  });

  const one = shards.shards[3];
  const LISTS = [
    ...['/', '/clusters', '/timeline?sort=-version', '/shards', '/rollouts', '/rollouts?wave=rest&cell=held&page=2'],
  ];
  const PAGES = [
    ...[...LISTS, '/clusters?page=50', '/report', '/shards?integration=integration-003', '/versions', '/problems'],
    `/clusters/test/${UPGRADES.clusters[3]?.orgId}/3-uuid`,
    `/shards/${one?.cluster}/${one?.namespace}/${one?.name}`,
    `/rollouts/lab/${encodeURIComponent(`${one?.integration}/${one?.shard}`)}`,
  ];

  it.each([
    { on: 'a phone', width: 390, media: 'screen' },
    { on: 'a sheet of paper', width: 718, media: 'print' },
  ] as const)('every page fits $on, with names as long as they may be', async ({ width, media }) => {
    const { page, context } = await watchedPage(browser, run.url, { viewport: { width, height: 844 } });
    await page.emulateMedia({ media });
    for (const path of PAGES) {
      await page.goto(run.url + path);
      expect({ path, across: await overflowOn(page) }).toEqual({ path, across: [] });
    }
    await context.close();
  });

  it.each(['light', 'dark'] as const)('axe finds nothing on a list in the %s theme', async (colorScheme) => {
    const { page, context } = await watchedPage(browser, run.url, { colorScheme });
    const found: string[] = [];
    for (const path of LISTS) {
      await page.goto(run.url + path);
      found.push(...(await violationsOn(page)).map((violation) => `${path} ${violation}`));
    }
    expect(found).toEqual([]);
    await context.close();
  });
});
