import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chromiumPath, openChromium, type WatchedPage, watchedPage } from '../support/console-browser.ts';
import { overflowOn } from '../support/console-checks.ts';
import { manyClusters } from '../support/console-fleet.ts';
import { type FleetConsole, fleetConsole, runConsole } from '../support/console-run.ts';

const CLUSTERS = 1_000;
const PAGE_ROWS = 100;
/** More than this is no page that loads well. */
const MOST_PAGE_BYTES = 100_000;
const chromium = chromiumPath();
if (chromium === undefined) console.warn('no chromium: name one by CHROMIUM_BIN to run the tests of the console');

describe.skipIf(chromium === undefined)('the console in a browser', () => {
  let fleet: FleetConsole;
  let browser: Browser;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    fleet = await fleetConsole(manyClusters(CLUSTERS));
    browser = await openChromium(chromium ?? '');
  });
  afterAll(async () => {
    await browser?.close();
    await fleet?.dispose();
  });
  beforeEach(async () => {
    watched = await watchedPage(browser, fleet.url);
    page = watched.page;
  });
  afterEach(async () => {
    expect(watched.complaints).toEqual([]);
    await watched.context.close();
  });

  const rows = (on: Page) => on.locator('[data-rows] tbody tr:visible');
  const countText = (on: Page) => on.locator('.count').first().innerText();
  const counted = (number: number): Promise<void> =>
    page.locator('.count', { hasText: new RegExp(`^${number} of 1000 clusters`) }).waitFor();
  const foundBy = async (search: string): Promise<number> => {
    const { items } = (await (await fetch(`${fleet.url}/clusters.json${search}`)).json()) as { items: unknown[] };
    return items.length;
  };

  it('shows the first of a thousand clusters on a page that is not heavy', async () => {
    const response = await page.goto(`${fleet.url}/clusters`);
    expect((await response?.body())?.length).toBeLessThan(MOST_PAGE_BYTES);
    expect(await response?.headerValue('content-encoding')).toBe('gzip');
    expect(await rows(page).count()).toBe(PAGE_ROWS);
    expect(await countText(page)).toBe('1000 of 1000 clusters');
  });

  it('finds words while they are typed, and the address shows the same again', async () => {
    await page.goto(`${fleet.url}/clusters`);
    await page.keyboard.press('/');
    await page.keyboard.type('C-7-01 soak');
    const expected = await foundBy('?q=C-7-01+soak');
    expect(expected).toBeGreaterThan(0);
    await counted(expected);
    expect(await rows(page).count()).toBe(expected);
    expect(new URL(page.url()).search).toBe('?q=C-7-01+soak');
    await page.reload();
    expect(await rows(page).count()).toBe(expected);
    await page.locator('input[name=q]').fill('');
    await counted(CLUSTERS);
    expect(new URL(page.url()).search).toBe('');
    await page.locator('input[name=q]').fill('nobody has this');
    await page.locator('.none').waitFor();
  });

  it('applies a choice at once', async () => {
    await page.goto(`${fleet.url}/clusters?q=c-1`);
    await page.locator('select[name=version]').selectOption('4.18.2');
    await page.waitForURL('**/clusters?q=c-1&version=4.18.2');
    await counted(await foundBy('?q=c-1&version=4.18.2'));
    await page.goBack();
    await counted(await foundBy('?q=c-1'));
    expect(await page.locator('select[name=version]').inputValue()).toBe('');
  });

  it('works without a script: filters, words, order and verdicts', async () => {
    const bare = await watchedPage(browser, fleet.url, { javaScriptEnabled: false });
    await bare.page.goto(`${fleet.url}/clusters?version=4.18.2&sort=-cluster`);
    expect(await countText(bare.page)).toBe(`${await foundBy('?version=4.18.2')} of 1000 clusters`);
    await bare.page.locator('.pager a[rel=last]').first().click();
    expect(await rows(bare.page).count()).toBe((await foundBy('?version=4.18.2')) % PAGE_ROWS);
    await bare.page.locator('input[name=q]').fill('c-4-');
    await bare.page.keyboard.press('Enter');
    await bare.page.waitForURL(/q=c-4-/);
    const expected = await foundBy('?version=4.18.2&q=c-4-');
    expect(await rows(bare.page).count()).toBe(expected);
    const first = await rows(bare.page).first().locator('th a').innerText();
    await rows(bare.page).first().locator('th a').click();
    expect(await bare.page.locator('h1').innerText()).toContain(first);
    expect(await bare.page.locator('.candidate tbody tr').count()).toBeGreaterThanOrEqual(10);
    expect(bare.complaints).toEqual([]);
    await bare.context.close();
  });

  it('opens a verdict by keys, and its address shows the same to another', async () => {
    await page.goto(`${fleet.url}/clusters?gate=sector&sort=cluster`);
    const names = await rows(page).locator('th a').allInnerTexts();
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
    expect(await page.evaluate('document.activeElement.textContent')).toBe(names[1]);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/clusters/test/**');
    expect(await page.locator('h1').innerText()).toContain(names[1]);
    const gates = await page.locator('.candidate').first().locator('tbody th').allInnerTexts();
    expect(gates).toEqual([
      ...['available', 'blocked', 'inherited-floor', 'sector', 'soak'],
      ...['version-gate', 'freeze', 'schedule', 'mutex', 'busy', 'health'],
    ]);
    const other = await watchedPage(browser, fleet.url);
    await other.page.goto(page.url());
    expect(await other.page.locator('main').innerText()).toBe(await page.locator('main').innerText());
    await other.context.close();
  });

  it('a permalink of a filtered list shows the same list', async () => {
    const address = `${fleet.url}/clusters?org=org-2&sector=prod&sort=-version&q=sector`;
    await page.goto(address);
    const other = await watchedPage(browser, fleet.url, { javaScriptEnabled: false });
    await other.page.goto(address);
    const texts = await rows(page).allInnerTexts();
    expect(texts.length).toBeGreaterThan(0);
    expect(await rows(other.page).allInnerTexts()).toEqual(texts);
    await other.context.close();
  });

  it('the first key reaches what skips to the content; keys can be switched off', async () => {
    await page.goto(`${fleet.url}/clusters`);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.keyboard.press('?');
    await page.waitForURL('**/help');
    await page.locator('[data-keys-toggle]').uncheck();
    await page.goto(`${fleet.url}/clusters`);
    await page.keyboard.press('j');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY');
  });

  it('the timeline draws every cluster of its page and says the same in words', async () => {
    await page.goto(`${fleet.url}/timeline?org=org-5&sort=cluster`);
    expect(await rows(page).count()).toBe(100);
    const words = await page.locator('td.words').allInnerTexts();
    const drawn = await page.locator('td.strip svg').count();
    expect(drawn).toBe(words.length);
    expect(words.every((text) => /^4\.18\.\d now/.test(text))).toBe(true);
    expect(await page.locator('td.strip rect.foreseen').count()).toBeGreaterThan(words.length);
  });

  it('text of others is never run, in any view', async () => {
    for (const path of [
      '/',
      '/clusters?q=script',
      '/timeline?q=script',
      '/clusters/test/org-3/c-3-007-uuid',
      '/shards',
    ]) {
      await page.goto(fleet.url + path);
      expect(await page.evaluate('window.hacked')).toBeUndefined();
    }
    expect(await page.locator('img').count()).toBe(0);
  });

  it.each(['/', '/clusters?org=org-1', '/timeline?org=org-1', '/clusters/test/org-1/c-1-050-uuid', '/help'])(
    '%s fits a phone, with nothing to push aside',
    async (path) => {
      const own = await watchedPage(browser, fleet.url, { viewport: { width: 390, height: 844 } });
      await own.page.goto(fleet.url + path);
      expect(await overflowOn(own.page)).toEqual([]);
      await own.context.close();
    },
  );

  it.each(['/', '/clusters?org=org-1', '/timeline?org=org-1', '/clusters/test/org-1/c-1-050-uuid'])(
    '%s fits a sheet of paper',
    async (path) => {
      const own = await watchedPage(browser, fleet.url, { viewport: { width: 718, height: 1000 } });
      await own.page.emulateMedia({ media: 'print' });
      await own.page.goto(fleet.url + path);
      expect(await overflowOn(own.page)).toEqual([]);
      await own.context.close();
    },
  );

  it.each(['light', 'dark'] as const)('follows the %s scheme of the reader', async (colorScheme) => {
    const own = await watchedPage(browser, fleet.url, { colorScheme });
    await own.page.goto(`${fleet.url}/clusters`);
    const background = String(await own.page.evaluate('getComputedStyle(document.body).backgroundColor'));
    const [red = 0] = background.match(/\d+/g)?.map(Number) ?? [];
    expect(red > 128).toBe(colorScheme === 'light');
    const picture = await own.page.screenshot();
    expect(picture.subarray(1, 4).toString()).toBe('PNG');
    await own.context.close();
  });

  it('a token is asked for as browsers ask, and is enough', async () => {
    const token = 'a-token-that-nobody-may-guess-0123456789';
    fleet.cli.write('token', token);
    const run = await runConsole(fleet.cli.io, { tokenFile: 'token' }, fleet.cli.clock);
    const own = await watchedPage(browser, run.url, { httpCredentials: { username: 'me', password: token } });
    const response = await own.page.goto(`${run.url}/clusters`);
    expect(response?.status()).toBe(200);
    expect(await own.page.locator('h1').innerText()).toBe('Clusters');
    await own.context.close();
    await run.stop();
  });
});
