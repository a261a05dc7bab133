import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** `CHROMIUM_BIN`, then what the system has; undefined where there is none. */
export function chromiumPath(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (env['CHROMIUM_BIN']) return env['CHROMIUM_BIN'];
  const folders = ['/usr/bin', ...(env['PATH'] ?? '').split(delimiter)];
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find((file) => existsSync(file));
}

/** The browser may reach only the server of the test. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-sync',
  '--no-first-run',
  '--disable-gpu',
  '--disable-dev-shm-usage',
];

export async function openChromium(executablePath: string): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath, args: ARGUMENTS });
}

/** A page, and everything that should not have happened on it. */
export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors and warnings of the console, violations of the content security policy among them; requests to others. */
  readonly complaints: string[];
}

/** What the browser itself no longer wants, such as the icon of a page that was left. */
const GIVEN_UP = 'net::ERR_ABORTED';

export async function watchedPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) complaints.push(`asks ${request.url()}`);
  });
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText;
    if (why !== GIVEN_UP) complaints.push(`${request.url()} ${why}`);
  });
  return { page, context, complaints };
}
