import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Browser } from 'playwright-core';
import { openChromium } from '../support/console-browser.ts';
import { median } from './measure.ts';
import { script } from './part.ts';

/** One load of a page, in milliseconds from its request. */
interface Load {
  /** Until the first byte of the answer. */
  readonly firstByte: number;
  /** Until everything is loaded, laid out and painted. */
  readonly render: number;
  readonly elements: number;
  readonly bytes: number;
}

export interface PageLoads {
  readonly path: string;
  readonly large: Load;
  readonly small: Load;
  /** Medians of the ratios of neighbours in turns. */
  readonly firstByteRatio: number;
  readonly renderRatio: number;
  /** The first load of the large one, which computes what later ones share. */
  readonly first: Load;
}

interface Size {
  readonly clusters: number;
  readonly integrations: number;
  readonly shardsEach: number;
}

interface Served {
  readonly url: string;
  /** The addresses of one cluster, one shard and one verdict. */
  readonly paths: Readonly<Record<string, string>>;
  stop(): Promise<unknown>;
}

const PATHS = ['/', '/clusters', '/timeline', '/shards', '/rollouts', '/versions', 'CLUSTER', 'SHARD', 'VERDICT'];
const ROUNDS = 7;

interface ConsoleLoads {
  readonly loads: readonly PageLoads[];
  /** Bytes of the list of clusters, and of its refresh when nothing changed. */
  readonly page: number;
  readonly refresh: number;
}

/** Every page of two consoles, loaded in turns in a browser. */
export async function loadPages(chromium: string, large: Size, small: Size): Promise<ConsoleLoads> {
  const browser = await openChromium(chromium);
  const served: Served[] = [];
  try {
    served.push(await serve(small), await serve(large));
    const [few, many] = served as [Served, Served];
    const loads: PageLoads[] = [];
    for (const path of PATHS) loads.push(await loadsOf(path, browser, few, many));
    return { loads, ...(await refreshed(`${many.url}/clusters`)) };
  } finally {
    await browser.close();
    for (const each of served) await each.stop();
  }
}

async function refreshed(address: string): Promise<Pick<ConsoleLoads, 'page' | 'refresh'>> {
  const textOf = async (url: string) => (await fetch(url)).text();
  const page = await textOf(address);
  const shown = /data-shown="([^"]+)"/.exec(page)?.[1];
  return { page: page.length, refresh: (await textOf(`${address}?shown=${shown}`)).length };
}

async function loadsOf(path: string, browser: Browser, few: Served, many: Served): Promise<PageLoads> {
  const loaded = (of: Served): Promise<Load> => load(browser, of.url + (of.paths[path] ?? path));
  await loaded(few);
  const first = await loaded(many);
  const turns: (readonly [Load, Load])[] = [];
  for (let round = 0; round < ROUNDS; round += 1) turns.push([await loaded(few), await loaded(many)]);
  const of = (side: 0 | 1): Load => ({
    firstByte: median(turns.map((turn) => turn[side].firstByte)),
    render: median(turns.map((turn) => turn[side].render)),
    elements: turns[0]?.[side].elements ?? Number.NaN,
    bytes: turns[0]?.[side].bytes ?? Number.NaN,
  });
  return {
    ...{ path, small: of(0), large: of(1), first },
    firstByteRatio: median(turns.map(([a, b]) => b.firstByte / a.firstByte)),
    renderRatio: median(turns.map(([a, b]) => b.render / a.render)),
  };
}

/** The frame after the load event has been painted when the next task runs. */
const MEASURE = `new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => {
  const [{ requestStart, responseStart, decodedBodySize }] = performance.getEntriesByType('navigation');
  resolve({
    firstByte: responseStart - requestStart,
    render: performance.now() - requestStart,
    elements: document.querySelectorAll('*').length,
    bytes: decodedBodySize,
  });
})))`;

async function load(browser: Browser, address: string): Promise<Load> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(`addEventListener('load', () => { window.measured = ${MEASURE}; })`);
  await page.goto(address, { waitUntil: 'load' });
  const measured = (await page.evaluate('window.measured')) as Load;
  await context.close();
  return measured;
}

async function serve({ clusters, integrations, shardsEach }: Size): Promise<Served> {
  const args = [clusters, integrations, shardsEach].map(String);
  const child = spawn(process.execPath, [script('console-serve.ts'), ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const url = await addressOf(child);
  const first = async (list: string) => ((await (await fetch(url + list)).json()) as { items: Item[] }).items[0];
  const [cluster, shard, track] = [
    await first('/clusters.json'),
    await first('/shards.json'),
    await first('/rollouts.json'),
  ];
  const verdict = track?.waves?.[0]?.shards[0];
  return {
    url,
    paths: {
      CLUSTER: `/clusters/${cluster?.environment}/${cluster?.orgId}/${cluster?.uuid}`,
      SHARD: `/shards/${shard?.cluster}/${shard?.namespace}/${shard?.name}`,
      VERDICT: `/rollouts/${verdict?.environment}/${encodeURIComponent(verdict?.id ?? '')}`,
    },
    stop: async () => {
      const ended = once(child, 'exit');
      child.stdin?.end();
      await ended;
    },
  };
}

type Item = Readonly<Record<'environment' | 'orgId' | 'uuid' | 'cluster' | 'namespace' | 'name', string>> & {
  readonly waves?: readonly { readonly shards: readonly { readonly environment: string; readonly id: string }[] }[];
};

async function addressOf(child: ChildProcess): Promise<string> {
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`the console ended with ${code}`);
  });
  const [chunk] = (await Promise.race([once(child.stdout ?? child, 'data'), exited])) as [Buffer];
  return chunk.toString().trim();
}
