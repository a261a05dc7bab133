import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawFrom, MADE_AT, madeShards, madeUpgrades } from '../../test/support/made-fleet.ts';
import { holds } from '../../test/support/property.ts';
import { respond } from './respond.ts';
import type { ConsoleState } from './state.ts';

/** More rows than this make a page slow, however few a fleet has. */
const MOST_ROWS = 100;
const FIGURE = /<a href="([^"]+)"><strong>(\d+)<\/strong>/g;
const COUNTED = /<th scope="row"><a href="([^"]+)">[^<]*<\/a><\/th><td class="num">(\d+)<\/td>/g;

function stateOf(clusters: number, shards: number, seed: number): ConsoleState {
  const draw = drawFrom(seed);
  return {
    ...{ startedAt: MADE_AT, version: 1, refreshSeconds: 300, sighted: new Map(), firstSeen: new Map(), links: [] },
    upgrades: { kind: 'known', asOf: MADE_AT, data: madeUpgrades(clusters, draw) },
    shards: { kind: 'known', asOf: MADE_AT, data: madeShards(shards, draw) },
  };
}

const plain = (address: string): string => address.replaceAll('&amp;', '&');

/** The rows of a list on all its pages, as links of the pages lead on; and the number that each page names. */
function walked(href: string, get: (target: string) => string): { rows: string[]; counts: Set<number>; most: number } {
  const rows: string[] = [];
  const counts = new Set<number>();
  let most = 0;
  for (let target: string | undefined = href; target !== undefined; ) {
    const body = get(target);
    const table = body.slice(body.indexOf('data-rows'));
    const own = [...table.matchAll(/<tr><th scope="row">.*?<\/tr>/gs)].map(([row]) => row);
    rows.push(...own);
    most = Math.max(most, own.length);
    counts.add(Number(/<span data-count>(\d+)</.exec(body)?.[1]));
    const next: string | undefined = /<a rel="next" href="([^"]+)"/.exec(body)?.[1];
    target = next === undefined ? undefined : plain(next);
  }
  return { rows, counts, most };
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
        const state = stateOf(clusters, shards, seed);
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
    const state = stateOf(250, 250, 7);
    const get = (target: string): string => respond({ method: 'GET', target }, state, MADE_AT).body;
    for (const path of ['/clusters', '/timeline', '/shards']) {
      const sorts = [...get(path).matchAll(/href="[^"]*sort=([a-z]+)" data-key/g)].map(([, name]) => name);
      expect(sorts.length).toBeGreaterThan(0);
      for (const sort of sorts) {
        const up = idsIn(walked(`${path}?sort=${sort}`, get).rows);
        expect(new Set(up).size).toBe(250);
        expect(idsIn(walked(`${path}?sort=-${sort}`, get).rows).reverse()).toEqual(up);
        const { items } = JSON.parse(get(`${path}.json?sort=${sort}`)) as { items: { name: string; uuid?: string }[] };
        expect(items.map(({ name, uuid }) => uuid ?? name)).toEqual(up);
      }
    }
    const names = walked('/clusters?sort=cluster', get).rows.map((row) => />(c-[^<]+)</.exec(row)?.[1]);
    expect(names).toEqual(names.toSorted());
  });

  it('find words on every page, not only on the one that is shown', () => {
    const state = stateOf(450, 10, 3);
    const get = (target: string): string => respond({ method: 'GET', target }, state, MADE_AT).body;
    expect(walked('/clusters?q=c-00449', get).rows).toHaveLength(1);
    expect(walked('/clusters?q=c-00449&page=4', get).rows).toHaveLength(1);
  });
});
