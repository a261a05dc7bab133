import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ConsoleFacts, consoleFacts, consoleState } from '../../../test/support/console-state.ts';
import { drawFrom, MADE_AT, madeShards, madeUpgrades } from '../../../test/support/made-fleet.ts';
import { holds } from '../../../test/support/property.ts';
import { respond } from '../respond.ts';

/** More rows than this make a page slow, however few a fleet has. */
const MOST_ROWS = 100;
const FIGURE = /<a href="([^"]+)"><strong>(\d+)<\/strong>/g;
const COUNTED = /<th scope="row"><a href="([^"]+)">[^<]*<\/a><\/th><td class="num">(\d+)<\/td>/g;

function stateOf(clusters: number, shards: number, seed: number): ConsoleFacts {
  const draw = drawFrom(seed);
  return consoleFacts({
    ...{ startedAt: MADE_AT, version: 1 },
    upgrades: { kind: 'known', asOf: MADE_AT, data: madeUpgrades(clusters, draw) },
    shards: { kind: 'known', asOf: MADE_AT, data: madeShards(shards, draw) },
  });
}

const plain = (address: string): string => address.replaceAll('&amp;', '&');

type Get = (target: string) => string;

/** All pages of a list, as its links lead on. */
function pagesFrom(href: string, get: Get): string[] {
  const body = get(plain(href));
  const next = /<a rel="next" href="([^"]+)"/.exec(body)?.[1];
  return [body, ...(next === undefined ? [] : pagesFrom(next, get))];
}

/** The rows of a list on all its pages, the numbers that its pages name, and the most rows on one of them. */
function walked(href: string, get: Get): { rows: string[]; counts: Set<number>; most: number } {
  const pages = pagesFrom(href, get);
  const rows = pages.map((body) =>
    [...body.slice(body.indexOf('data-rows')).matchAll(/<tr><th scope="row">.*?<\/tr>/gs)].map(([row]) => row),
  );
  const counts = new Set(pages.map((body) => Number(/<span data-count>(\d+)</.exec(body)?.[1])));
  return { rows: rows.flat(), counts, most: Math.max(...rows.map(({ length }) => length)) };
}

/** The last part of the address of each row. */
const idsIn = (rows: readonly string[]): (string | undefined)[] =>
  rows.map((row) => /href="\/\w+\/[^"?]*\/([^"]+)"/.exec(row)?.[1]);

const sizes = fc.record({
  clusters: fc.integer({ min: 0, max: 450 }),
  shards: fc.integer({ min: 1, max: 350 }),
  seed: fc.nat(),
});

describe('lists of a random fleet', () => {
  it('have what the numbers of the overview say, on all pages together, and each row once', () => {
    holds(
      fc.property(sizes, ({ clusters, shards, seed }) => {
        const state = consoleState(stateOf(clusters, shards, seed));
        const get = (target: string): string => respond({ method: 'GET', target }, state, MADE_AT).body;
        const overview = get('/');
        const linked = [...overview.matchAll(FIGURE), ...overview.matchAll(COUNTED)];
        expect(linked.length).toBeGreaterThan(5);
        for (const [, href = '', number = ''] of linked) {
          const { rows, counts, most } = walked(plain(href), get);
          const expected = { href, rows: Number(number), distinct: Number(number), counts: [Number(number)] };
          expect({ href, rows: rows.length, distinct: new Set(rows).size, counts: [...counts] }).toEqual(expected);
          expect(most).toBeLessThanOrEqual(MOST_ROWS);
        }
      }),
      { numRuns: 4 },
    );
  });

  it('are in order over all pages, whatever the column, upwards and downwards', () => {
    const state = consoleState(stateOf(250, 250, 7));
    const get = (target: string): string => respond({ method: 'GET', target }, state, MADE_AT).body;
    for (const path of ['/clusters', '/timeline', '/report', '/shards']) {
      const sorts = [...get(path).matchAll(/href="[^"]*sort=([a-z]+)" data-key/g)].map(([, name]) => name);
      expect(sorts.length).toBeGreaterThan(0);
      for (const sort of sorts) {
        const up = idsIn(walked(`${path}?sort=${sort}`, get).rows);
        expect(new Set(up).size).toBe(250);
        expect(idsIn(walked(`${path}?sort=-${sort}`, get).rows).reverse()).toEqual(up);
        if (path === '/report') continue;
        const { items } = JSON.parse(get(`${path}.json?sort=${sort}`)) as { items: { name: string; uuid?: string }[] };
        expect(items.map(({ name, uuid }) => uuid ?? name)).toEqual(up);
      }
    }
    const names = walked('/clusters?sort=cluster', get).rows.map((row) => />(c-[^<]+)</.exec(row)?.[1]);
    expect(names).toEqual(names.toSorted());
  });

  it('find words on every page, not only on the one that is shown', () => {
    const state = consoleState(stateOf(450, 10, 3));
    const get = (target: string): string => respond({ method: 'GET', target }, state, MADE_AT).body;
    expect(walked('/clusters?q=c-00449', get).rows).toHaveLength(1);
    expect(walked('/clusters?q=c-00449&page=4', get).rows).toHaveLength(1);
  });
});

describe('the cells of a rollout', () => {
  const state = consoleState(stateOf(10, 2_000, 11));
  const get = (target: string): string => respond({ method: 'GET', target }, state, MADE_AT).body;
  const CELL = /<li><a href="\/rollouts\/lab\/([^"]+)"/g;

  it('are as many as the wave says of each state, on all pages together, and few on the first', () => {
    const body = get('/rollouts');
    expect([...body.matchAll(CELL)].length).toBeLessThan(600);
    const groups = [...body.matchAll(/<p class="cells-title"><a href="([^"]+)">(\d+) more (\w+)</g)];
    expect(groups.length).toBeGreaterThan(5);
    for (const [, href = '', more, of] of groups) {
      const pages = pagesFrom(href, get);
      const own = pages.map((page) => [...page.matchAll(CELL)].map(([, id = '']) => id));
      const ids = new Set(own.flat());
      expect(Math.max(...own.map(({ length }) => length))).toBeLessThanOrEqual(400);
      expect(pages.every((page) => page.includes(`: ${Number(more) + 40} ${of}</h2>`))).toBe(true);
      expect(ids.size).toBe(Number(more) + 40);
    }
  });

  it.each([
    { search: '?wave=canary', waves: ['canary'] },
    { search: '?wave=rest&q=s-00003', waves: [] },
    { search: '?cell=failed&env=lab', waves: ['canary', 'rest'] },
    { search: '?cell=constructor', waves: [] },
  ])('of $search are those of $waves', ({ search, waves }) => {
    const { items } = JSON.parse(get(`/rollouts.json${search}`)) as { items: { waves: { name: string }[] }[] };
    expect(items.flatMap((track) => track.waves.map(({ name }) => name))).toEqual(waves);
  });
});

describe('problems', () => {
  const FAULTS = 437;
  const faults = Array.from({ length: FAULTS }, (_, at) => ({
    code: 'X',
    message: `fault ${at} of many`,
    hint: 'wait',
  }));
  const data = { ...madeShards(1, () => 0), faults };
  const state = consoleState({ ...stateOf(0, 1, 1), shards: { kind: 'known', asOf: MADE_AT, data } });
  const get = (target: string): string => respond({ method: 'GET', target }, state, MADE_AT).body;
  const told = (body: string): string[] => [...body.matchAll(/fault \d+ of many/g)].map(([text]) => text);

  it('are few on the overview, with the number of the others, and all on pages of their own', () => {
    const overview = get('/');
    expect(told(overview)).toHaveLength(12);
    expect(overview).toContain(`<a href="/problems">${FAULTS - 12} more</a>`);
    const pages = pagesFrom('/problems', get).map(told);
    expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(MOST_ROWS);
    expect(new Set(pages.flat()).size).toBe(FAULTS);
    expect(get('/problems')).toContain(`${FAULTS} problems`);
  });
});

describe('a page that is shown already', () => {
  const get = (target: string, facts: ConsoleFacts, seconds = 0) =>
    respond({ method: 'GET', target }, consoleState(facts), (MADE_AT + seconds * 1e6) as typeof MADE_AT);
  const shownBy = (body: string): string => /data-shown="([^"]+)"/.exec(body)?.[1] ?? '';
  const state = stateOf(120, 60, 5);
  const { data: upgrades } = state.upgrades as Extract<ConsoleFacts['upgrades'], { kind: 'known' }>;
  const { data: fleet } = state.shards as Extract<ConsoleFacts['shards'], { kind: 'known' }>;
  const [shard] = fleet.shards;
  const CLUSTER = `/clusters/test/${upgrades.clusters[0]?.orgId}/0-uuid`;
  const SHARD = `/shards/${shard?.cluster}/${shard?.namespace}/${shard?.name}`;
  const VERDICT = `/rollouts/lab/${encodeURIComponent(`${shard?.integration}/${shard?.shard}`)}`;

  it.each([
    '/',
    '/clusters',
    '/clusters?page=2&sort=version',
    '/timeline',
    '/report?org=org-1',
    '/shards',
    '/rollouts',
    '/versions',
    '/help',
    CLUSTER,
    SHARD,
    VERDICT,
  ])('%s is not sent again while only ages change', (target) => {
    const first = get(target, state).body;
    const mark = target.includes('?') ? '&' : '?';
    const later: ConsoleFacts = { ...state, version: 2 };
    const again = get(`${target}${mark}shown=${shownBy(first)}`, later, 400).body;
    expect(again.length).toBeLessThan(1_000);
    expect(again).not.toContain('<main');
    expect(again).toContain(`data-shown="${shownBy(first)}" data-now="2026-03-02T10:06:40Z"`);
    expect(again).toContain('(7 min ago)');
  });

  it('is sent when a row of it has changed, and not when one of another page has', () => {
    const changed = {
      ...upgrades,
      clusters: upgrades.clusters.map((one, at) => (at === 110 ? { ...one, reason: 'new' } : one)),
    };
    const next: ConsoleFacts = { ...state, upgrades: { kind: 'known', asOf: MADE_AT, data: changed } };
    const [first, second] = ['/clusters', '/clusters?page=2'].map((target) => shownBy(get(target, state).body));
    expect(get(`/clusters?shown=${first}`, next).body).not.toContain('<main');
    expect(get(`/clusters?page=2&shown=${second}`, next).body).toContain('>4.18.12: new<');
  });

  it('is sent to a page that says it shows something else, and links of it do not', () => {
    const { body } = get('/clusters?shown=x', state);
    expect(body).toContain('<main');
    expect(body).not.toContain('shown=x');
  });
});
